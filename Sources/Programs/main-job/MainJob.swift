// SPDX-License-Identifier: Apache-2.0
// Without code: what `make bench` needs is built by one call of SwiftPM, which takes seconds to plan each.
