// SPDX-License-Identifier: Apache-2.0

// `Trials` is a target of its own only so that the compiler optimizes it and not the rest: import `Runs` for both.
@_exported public import Trials
