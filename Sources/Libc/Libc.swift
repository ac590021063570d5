// SPDX-License-Identifier: Apache-2.0

// The C library of this platform under one name.
#if canImport(Musl)
    @_exported public import Musl
#else
    @_exported public import Glibc
#endif
