// SPDX-License-Identifier: Apache-2.0

extension MemProbeError.Code {
    /// A program could not be started; the source is the program, or its working directory.
    public static let notStarted = MemProbeError.Code(rawValue: "cannot start")
    /// A process was killed but did not end.
    public static let notEnded = MemProbeError.Code(rawValue: "cannot end")
}
