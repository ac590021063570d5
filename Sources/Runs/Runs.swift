// SPDX-License-Identifier: Apache-2.0

// The targets that plans and results are made of: a file that imports `Runs` has them, too. `Trials` is a target of its
// own only so that the compiler optimizes it and not the rest.
@_exported public import MemProbe
@_exported public import OperatingSystem
@_exported public import Statistics
@_exported public import Texts
@_exported public import TrialKit
@_exported public import Trials
