// SPDX-License-Identifier: Apache-2.0

// One room for whoever uses it: `Trials` is apart only because the compiler optimizes it and not the rest.
@_exported public import Trials
