// SPDX-License-Identifier: Apache-2.0

import Glibc
import Runs
import TrialKit

/// The folder on another file system than the temporary one, in which files of `--destination other` end.
enum DestinationFolder {
    /// Returns the named folder or finds one; `nil` if no case of the plan needs it.
    /// - Throws: ``FetchBenchError/noDestination(reason:)``.
    static func path(for plan: Plan, in harness: HarnessContext) throws(FetchBenchError) -> String? {
        guard plan.needsDestination else { return nil }
        let temporary = harness.temporaryDirectory
        guard let named = plan.settings.destinationFolder else {
            return try found(among: candidates(of: harness), besides: temporary)
        }
        let path = harness.absolute(harness.path(stored: named))
        try check(path, besides: temporary)
        return path
    }

    /// The first folder that can be written to on another file system.
    static func found(among folders: [String], besides temporary: String) throws(FetchBenchError) -> String {
        let folder = folders.first { reason(against: $0, besides: temporary) == nil }
        guard let folder else {
            throw .noDestination(
                reason:
                    "/dev/shm, /var/tmp, /tmp, the home and the working folder are not writable or on the file system "
                    + "of TMPDIR; give one with --destination-folder")
        }
        return folder
    }

    /// Checks that a folder can be written and is on another file system.
    static func check(_ path: String, besides temporary: String) throws(FetchBenchError) {
        if let reason = reason(against: path, besides: temporary) {
            throw .noDestination(reason: "--destination-folder " + reason)
        }
    }

    private static func candidates(of harness: HarnessContext) -> [String] {
        ["/dev/shm", "/var/tmp", "/tmp"] + [harness.environment["HOME"], harness.workingDirectory].compactMap { $0 }
    }

    private static func reason(against path: String, besides temporary: String) -> String? {
        guard let here = device(of: temporary) else { return "cannot be compared with TMPDIR: \(Self.reason(errno))" }
        guard let there = device(of: path) else { return "cannot be read: \(Self.reason(errno))" }
        guard there != here else { return "is on the same file system as TMPDIR: use a folder on another one" }
        guard access(path, W_OK | X_OK) == 0 else { return "is not writable: \(Self.reason(errno))" }
        return nil
    }

    private static func reason(_ number: CInt) -> String {
        String(cString: strerror(number)) + (number == EROFS ? " (EROFS)" : "")
    }

    /// The number of the file system of a folder; `nil` with `errno` if it is none.
    private static func device(of path: String) -> UInt64? {
        var information = stat()
        guard stat(path, &information) == 0 else { return nil }
        guard information.st_mode & S_IFMT == S_IFDIR else {
            errno = ENOTDIR
            return nil
        }
        return UInt64(information.st_dev)
    }
}
