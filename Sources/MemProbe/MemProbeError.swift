// SPDX-License-Identifier: Apache-2.0

import Libc

/// A reading that failed.
///
/// A reading that the platform does not offer is `nil` instead.
public struct MemProbeError: Error, Hashable, Sendable {
    /// The kind of failure; an open set.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The failure in words, to be followed by the source.
        public var rawValue: String

        /// Creates a code from its words.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The file exists and cannot be opened or read.
        public static let unreadable = Code(rawValue: "cannot read")
        /// The file exists and cannot be written.
        public static let unwritable = Code(rawValue: "cannot write")
        /// The content is not what the kernel writes there.
        public static let malformed = Code(rawValue: "cannot understand")
        /// The process is gone, is a zombie, or is a kernel thread, so it has no memory.
        public static let noSuchProcess = Code(rawValue: "no live process behind")
        /// The numbers of processes are those of another PID namespace: `/proc` was mounted there.
        public static let otherNamespace = Code(rawValue: "another PID namespace numbers the processes in")
        /// This machine does not offer the reading.
        public static let unavailable = Code(rawValue: "not available here:")
        /// It is already running and can do only one thing at a time.
        public static let busy = Code(rawValue: "already running:")
        /// Memory, threads or descriptors have run out.
        public static let exhausted = Code(rawValue: "no resources for")
    }

    /// The kind of failure.
    public var code: Code
    /// The object of the failed operation: a path, a field of a file, a system call or a `mallctl` name.
    public var source: String
    /// The C library's `errno`, if a system call failed.
    public var errno: CInt?

    /// Creates an error.
    public init(_ code: Code, source: String, errno: CInt? = nil) {
        (self.code, self.source, self.errno) = (code, source, errno)
    }
}

extension MemProbeError: CustomStringConvertible {
    /// The failure, its source and the reason: `cannot read /proc/1/smaps_rollup: Permission denied`.
    public var description: String {
        guard let errno, let reason = strerror(errno) else { return "\(code.rawValue) \(source)" }
        return "\(code.rawValue) \(source): \(String(cString: reason))"
    }
}

extension MemProbeError.Code {
    /// A program could not be started; the source is the program, or its working directory.
    public static let notStarted = MemProbeError.Code(rawValue: "cannot start")
    /// A process was killed but did not end.
    public static let notEnded = MemProbeError.Code(rawValue: "cannot end")
}
