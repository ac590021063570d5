// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
package import Runs

package enum Preflight {
    /// The maximum that a trial stores in the run's folder, apart from its series.
    private static let bytesPerTrial = 24 * 1024
    private static let bytesPerSample = 64
    private static let reserve = ByteCount.mebibytes(4)

    /// Checks that there is room for the results and for the largest file of a trial.
    package static func checkRoom(
        for record: RunRecord, results: String, temporaryDirectory: String, destination: String? = nil
    ) throws {
        guard access(temporaryDirectory, W_OK | X_OK) == 0 else {
            throw FetchBenchError.cannotWrite(name: "the temporary folder (TMPDIR)", errno: errno)
        }
        let plan = record.plan
        let secondsOfTrial = 2
        let stored = record.mostTrials * (bytesPerTrial + secondsOfTrial * 1000 * bytesPerSample)
        try check(ByteCount(stored) + reserve, at: results, place: "the results folder")
        let largest =
            plan.cases.compactMap { cell in
                plan.asset(of: cell)?.byteCount.map { ByteCount($0.rawValue * cell.conditions.concurrency) }
            }.max() ?? .zero
        try check(largest + reserve, at: temporaryDirectory, place: "the temporary folder (TMPDIR)")
        if let destination {
            try check(largest + reserve, at: destination, place: "the folder of --destination other")
        }
    }

    private static func check(_ needed: ByteCount, at path: String, place: String) throws {
        guard let available = FileSystem.available(at: path), available < needed else { return }
        throw FetchBenchError(
            "\(place) has room for \(ByteText.mebibytes(available)), and the run may need \(ByteText.mebibytes(needed)); "
                + "nothing was measured", remedy: "Free space, or choose another place", kind: .temporary)
    }
}

/// The folder on another file system than the temporary one, in which files of `--destination other` end.
enum DestinationFolder {
    /// Returns the named folder or finds one; `nil` if no case of the plan needs it.
    static func path(for plan: Plan, in harness: HarnessContext) throws -> String? {
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
    static func found(among folders: [String], besides temporary: String) throws -> String {
        let folder = folders.first { reason(against: $0, besides: temporary) == nil }
        guard let folder else {
            throw Self.noDestination(
                "/dev/shm, /var/tmp, /tmp, the home and the working folder are not writable or on the file system "
                    + "of TMPDIR; give one with --destination-folder")
        }
        return folder
    }

    /// Checks that a folder can be written and is on another file system.
    static func check(_ path: String, besides temporary: String) throws {
        if let reason = reason(against: path, besides: temporary) {
            throw Self.noDestination("--destination-folder " + reason)
        }
    }

    private static func noDestination(_ reason: String) -> FetchBenchError {
        FetchBenchError("--destination other is not possible: \(SafeText.forTerminal(reason))")
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

extension HarnessContext {
    /// The size of the largest file of `--cacert` that is read; those of distributions have 200 KiB.
    private static var longestAuthority: Int { 16 << 20 }

    /// Returns the path of a plan's certificate authority, or `nil` if it has none.
    package func certificateAuthority(of plan: Plan) throws -> String? {
        guard let stored = plan.settings.certificateAuthority else { return nil }
        let path = absolute(path(stored: stored))
        let text: String
        do {
            text = String(
                decoding: try WholeFile.data(at: path, name: stored, upTo: Self.longestAuthority), as: UTF8.self)
        } catch {
            throw FetchBenchError(usage: "--cacert: \(error); expected a PEM file")
        }
        guard text.contains("-----BEGIN CERTIFICATE-----") else {
            throw FetchBenchError(usage: "--cacert '\(stored)' has no certificate: expected a PEM file")
        }
        return path
    }
}
