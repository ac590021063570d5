// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// A test run where there is no `/proc`.
@Suite(.ownThreads) struct NoProcTests {
    private static let unshare = "/usr/bin/unshare"
    /// A file system of its own, in which `/proc` is empty.
    private static let arguments = [
        "--user", "--map-root-user", "--mount", "sh", "-c", "mount -t tmpfs none /proc && exec \"$@\"", "sh",
    ]

    /// Whether this machine lets a user have a file system of its own.
    private static let canHideProc: Bool = {
        let ended = try? TestProcess.run(unshare, arguments + ["true"], within: 60)
        return ended?.status == 0
    }()

    @Test(.enabled(if: canHideProc, "no user namespaces here")) func itsEndIsExplained() throws {
        let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().path
        let ended = try TestProcess.run(
            Self.unshare,
            Self.arguments + [program, "--testing-library", "swift-testing", "--filter", "NoTestOfThisName"],
            environment: ProcessInfo.processInfo.environment.merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 },
            within: 120)
        #expect(ended.complaint.contains("/proc/self/cmdline"))
        #expect(ended.complaint.contains("mount -t proc"))
    }
}
