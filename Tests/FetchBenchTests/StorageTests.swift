// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

extension Conduct {
    /// A place that cannot be written to is said before the first trial where that is possible; what was measured stays.
    @Suite struct Storage {
        static let plan = ["--asset", "4KiB", "--mode", "raw", "--render", "none", "--rate", "unlimited"]

        @Test(arguments: ["taken", "taken/below"])
        func aFileInPlaceOfTheResultsIsSaidFirst(output: String) async throws {
            let sandbox = try Sandbox("taken")
            // A mode would not stop root: a file where a folder should be stops everybody.
            try sandbox.write("here first", to: "taken")
            let ended = try await sandbox.fetchbench(["run", "--output", output, "--trials", "1"] + Self.plan)
            #expect(ended.status == 2)
            #expect(ended.output.isEmpty)
            #expect(ended.complaint.contains("\(output) cannot be written: "))
            let reasons = ["Not a directory", "File exists"]
            #expect(reasons.contains { ended.complaint.contains($0) }, "\(ended.complaint)")
            #expect(try String(contentsOfFile: sandbox.work + "/taken", encoding: .utf8) == "here first")
            #expect(try FileManager.default.contentsOfDirectory(atPath: sandbox.temporary).isEmpty)
        }

        @Test func missingTemporaryFolderIsSaidFirst() async throws {
            let sandbox = try Sandbox("missing")
            let ended = try await sandbox.fetchbench(
                ["run", "--trials", "1"] + Self.plan, environment: ["TMPDIR": sandbox.path + "/nowhere"])
            #expect(ended.status == 2)
            #expect(ended.complaint.contains("TMPDIR"))
            #expect(ended.output.isEmpty)
        }

        @Test func relativeTemporaryFolderWorks() async throws {
            let sandbox = try Sandbox("relative")
            try FileManager.default.createDirectory(atPath: sandbox.work + "/here", withIntermediateDirectories: false)
            let ended = try await sandbox.fetchbench(
                ["run", "--trials", "1"] + Self.plan, environment: ["TMPDIR": "here"])
            #expect(ended.status == 0, "\(ended.complaint)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: sandbox.work + "/here").isEmpty)
        }

        @Test func aCacheThatCannotBeMadeIsSaidFirst() async throws {
            let sandbox = try Sandbox("cache")
            try sandbox.write("here first", to: "taken")
            let ended = try await sandbox.fetchbench(
                "run", "--asset", "hero", "--mode", "raw", "--trials", "1",
                environment: ["XDG_CACHE_HOME": sandbox.work + "/taken"])
            #expect(ended.status == 2)
            #expect(ended.output.isEmpty)
            #expect(ended.complaint.contains("Not a directory"), "\(ended.complaint)")
            #expect(sandbox.runFolders().isEmpty)
        }

        @Test func aDamagedImageInTheCacheIsMadeAgain() async throws {
            let sandbox = try Sandbox("damaged")
            let plan = ["run", "--asset", "hero", "--mode", "raw", "--render", "none", "--trials", "1"]
            let cache = ["XDG_CACHE_HOME": sandbox.path + "/cache"]
            #expect(try await sandbox.fetchbench(plan, environment: cache).status == 0)
            let image = sandbox.path + "/cache/fetchbench/hero.jpg"
            let good = try Data(contentsOf: URL(fileURLWithPath: image))
            var bad = good
            bad[5000] ^= 0xFF
            try bad.write(to: URL(fileURLWithPath: image))
            #expect(try await sandbox.fetchbench(plan, environment: cache).status == 0)
            #expect(try Data(contentsOf: URL(fileURLWithPath: image)) == good)
        }

        /// The run's folder after its log could grow no further, and what was said.
        private func runToTheLimit(_ sandbox: Sandbox, _ script: String) async throws -> (Ended, StoredRun) {
            let words = (["run", "--trials", "30"] + Self.plan).joined(separator: " ")
            try sandbox.write(script, to: "limit.sh")
            let shell = try sandbox.start(
                BuiltBinary.tool("sh"), ["limit.sh"], environment: ["BINARY": BuiltBinary.path, "WORDS": words])
            return (try await shell.end(within: 150), try sandbox.onlyRun())
        }

        /// What every failing disk has to leave behind.
        private func expectKept(_ ended: Ended, _ run: StoredRun, in sandbox: Sandbox) async throws {
            #expect(ended.status == 2)
            #expect(ended.complaint.contains("cannot be written: "))
            #expect(ended.complaint.contains("--resume results/"))
            let kept = run.logLines()
            #expect(kept.count > 2 && kept.count < 60)
            #expect(try run.trials().map(\.trial) == Array(1...kept.count))
            #expect(try run.record().schema == 3, "run.json is whole")
            #expect(!run.files.contains { $0.hasSuffix(".tmp") })
            #expect(try FileManager.default.contentsOfDirectory(atPath: sandbox.temporary).isEmpty)
            #expect(try await ProcessTable.remaining(in: sandbox) == [])
            let report = try await sandbox.fetchbench("report", run.folder, "--format", "csv")
            #expect(report.status == 0)
            #expect(try CSVTable(report.output).rows.count == kept.count)
            let resumed = try await sandbox.fetchbench("run", "--resume", run.folder, within: 150)
            #expect(resumed.status == 0)
            #expect(try run.trials().map(\.trial) == Array(1...60))
            #expect(Array(run.logLines().prefix(kept.count)) == kept)
        }

        @Test func aLogThatMayGrowNoFurtherKeepsWhatItHolds() async throws {
            let sandbox = try Sandbox("limit")
            // Blocks of 512 bytes or of 1 KiB, as the shell counts; without the trap the limit would kill.
            let script = "trap '' XFSZ; ulimit -f 100; exec \"$BINARY\" $WORDS\n"
            let (ended, run) = try await runToTheLimit(sandbox, script)
            try await expectKept(ended, run, in: sandbox)
        }

        @Test(.enabled("needs a mount namespace") { try await mayMount() })
        func aDiskThatFillsUpKeepsWhatItHolds() async throws {
            let sandbox = try Sandbox("full")
            // The disk exists in the shell's namespace alone, so what it holds is copied out of it at the end.
            let script = """
                mkdir results full && mount -t tmpfs -o size=16m none full && cd full
                "$BINARY" $WORDS & harness=$!
                for i in $(seq 3000); do
                    [ "$(cat results/*/trials.jsonl 2>/dev/null | wc -l)" -ge 3 ] && break
                    sleep 0.02
                done
                dd if=/dev/zero of=fill bs=4k 2>/dev/null
                wait $harness; status=$?
                cp -r results ..
                exit $status
                """
            let (ended, run) = try await runToTheLimit(sandbox, "unshare -rm sh -c '\(script)'\n")
            #expect(ended.complaint.contains("No space left on device"))
            try await expectKept(ended, run, in: sandbox)
        }

        @Test(.enabled("needs a mount namespace") { try await mayMount() })
        func aDiskWithoutRoomIsSaidBeforeTheFirstTrial() async throws {
            let sandbox = try Sandbox("room")
            let words = (["run", "--trials", "1"] + Self.plan).joined(separator: " ")
            let script = "mkdir results && mount -t tmpfs -o size=1m none results && exec \"$BINARY\" $WORDS"
            let shell = try sandbox.start(
                BuiltBinary.tool("unshare"), ["-rm", "sh", "-c", script],
                environment: ["BINARY": BuiltBinary.path, "WORDS": words])
            let ended = try await shell.end(within: 60)
            #expect(ended.status == 2)
            #expect(ended.complaint.contains("room") && ended.complaint.contains("MiB"))
            #expect(ended.output.isEmpty)
        }

        private static func mayMount() async throws -> Bool {
            let sandbox = try Sandbox("mount")
            guard let unshare = try? BuiltBinary.tool("unshare") else { return false }
            let script = "mkdir m && mount -t tmpfs -o size=1m none m"
            return try await sandbox.start(unshare, ["-rm", "sh", "-c", script]).end(within: 60).status == 0
        }
    }
}
