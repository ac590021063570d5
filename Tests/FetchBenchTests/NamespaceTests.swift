// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

extension Conduct {
    /// Where `/proc` shows other processes than this one's, or none: figures would be somebody else's.
    @Suite struct Namespaces {
        private static let unshare = "/usr/bin/unshare"
        private static let user = getuid() == 0 ? [] : ["--user", "--map-root-user"]
        private static let numbers = user + ["--pid", "--fork"]

        /// Whether this machine lets this user have namespaces.
        private static let mayUnshare = {
            let ended = try? TestProcess.run(unshare, numbers + ["--mount-proc", "true"], within: 60)
            return ended?.status == 0
        }()

        private func fetchbench(
            _ sandbox: Sandbox, in namespace: [String], _ arguments: [String]
        ) async throws -> Ended {
            try await sandbox.start(Self.unshare, namespace + [BuiltBinary.path] + arguments).end(within: 100)
        }

        @Test(
            .enabled(if: mayUnshare, "no PID namespaces here"),
            arguments: [
                ["exec", "true", "--limit", "1KiB"], ["run", "--mode", "download", "--asset", "1MiB"], ["doctor"],
                ["answer"],
                ["check", "--mode", "download", "--asset", "1MiB", "--no-baseline"], ["costs"],
                ["behaviours", "--only", "trailer"],
                ["compare", "--base-exec", "true", "--head-exec", "true"], ["calibrate", "--mode", "download"],
                ["explain", "--mode", "download"], ["run", "--exec", "x=true"], ["survive", "true"],
            ])
        func theProcOfAnotherOneIsRefused(arguments: [String]) async throws {
            let sandbox = try Sandbox("namespace")
            let ended = try await fetchbench(sandbox, in: Self.numbers, arguments)
            #expect(ended.status == 2 && ended.output.isEmpty, "\(ended.status) \(ended.output)")
            #expect(ended.complaint.contains("namespace") && ended.complaint.contains("--mount-proc"))
            #expect(sandbox.runFolders().isEmpty)
        }

        @Test(.enabled(if: mayUnshare, "no PID namespaces here")) func itsOwnProcIsRight() async throws {
            let sandbox = try Sandbox("namespace")
            let words = [
                "exec", "\(BuiltBinary.neighbour("trace-fixture")) allocate 100 10", "--trials", "1", "--limit",
                "10MiB",
            ]
            let ended = try await fetchbench(sandbox, in: Self.numbers + ["--mount-proc"], words)
            #expect(ended.status == 1, "\(ended.status) \(ended.output) \(ended.complaint)")
        }

        @Test(.enabled(if: mayUnshare, "no PID namespaces here"))
        func commandsThatMeasureNothingWorkWithAForeignProc() async throws {
            let sandbox = try Sandbox("namespace")
            let ended = try await fetchbench(sandbox, in: Self.numbers, ["list", "suites"])
            #expect(ended.status == 0 && !ended.output.isEmpty)
        }

        @Test(.enabled(if: mayUnshare, "no namespaces here"), arguments: ["list"])
        func aMissingProcIsRefusedInWords(argument: String) async throws {
            let sandbox = try Sandbox("namespace")
            let script = "mount -t tmpfs none /proc && exec \"$@\""
            let ended = try await sandbox.start(
                Self.unshare, Self.user + ["--mount", "sh", "-c", script, "sh", BuiltBinary.path, argument]
            ).end(within: 100)
            #expect(ended.status == 2 && ended.output.isEmpty)
            #expect(ended.complaint.contains("/proc") && ended.complaint.contains("mount -t proc"))
        }
    }
}
