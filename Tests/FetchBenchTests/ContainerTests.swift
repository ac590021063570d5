// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import MemProbe
import Testing

/// True if this process may make control groups, and so may the built command.
private let canLimit: Bool = {
    guard let place = try? ControlGroupPlace.here.get() else { return false }
    return (try? ControlGroupSession(in: place)) != nil
}()

extension EndToEnd {
    @Suite(.enabled(if: canLimit, "no control group can be made here")) struct Containers {
        /// The control groups of sessions that this process's own has below it.
        private func sessions() throws -> Set<String> {
            let folder = try ControlGroupPlace.here.get().folder
            let names = try FileManager.default.contentsOfDirectory(atPath: folder)
            return Set(names.filter { $0.hasPrefix("memprobe-session-") }.map { folder + "/" + $0 })
        }

        private func owns(_ process: Spawned) throws -> Bool {
            try sessions().contains { $0.contains("-\(process.identifier)-") }
        }

        /// A node or container that is killed as a whole has nobody left in it to remove its groups.
        @Test func groupsOfAKilledNamespaceAreRemovedByTheNextRun() async throws {
            let sandbox = try Sandbox("namespace")
            let node = try sandbox.start(
                BuiltBinary.tool("unshare"),
                ["--pid", "--fork", "--kill-child", "--mount-proc", BuiltBinary.path, "exec", "sleep 60"])
            // The harness is one of the first processes of its namespace.
            let isForeign = { (path: String) in path.split(separator: "-").dropLast().last?.count == 1 }
            #expect(try await eventually(within: 30) { try sessions().contains(where: isForeign) })
            let left = try sessions().filter(isForeign)
            node.send(SIGKILL)
            _ = try await node.end(within: 30)
            // The last of its processes may take seconds to go.
            for _ in 1...100 where try !left.isDisjoint(with: sessions()) {
                #expect(try await sandbox.fetchbench("exec", "true", "--trials", "1").status == 0)
            }
            #expect(try left.isDisjoint(with: sessions()))
        }

        /// Expects that no process that has ended has left a control group; other tests make and remove some meanwhile.
        private func expectNothingLeft() async throws {
            let place = open(try ControlGroupPlace.here.get().folder, O_RDONLY | O_DIRECTORY)
            defer { close(place) }
            let isLocked = { (path: String) in
                let folder = open(path, O_RDONLY | O_DIRECTORY)
                defer { close(folder) }
                return folder < 0 || flock(folder, LOCK_EX | LOCK_NB) != 0
            }
            let allGoOn = {
                // No session begins meanwhile, which locks its group just after it has made it.
                flock(place, LOCK_EX)
                defer { flock(place, LOCK_UN) }
                return try sessions().allSatisfy(isLocked)
            }
            #expect(try await eventually(within: 30, allGoOn))
        }

        private func rows(_ sandbox: Sandbox, _ words: String..., status: Int32 = 0) async throws -> (
            rows: [[String: String]], said: String
        ) {
            let ended = try await sandbox.fetchbench(words + ["--trials", "1", "--output", "stored"], status: status)
            return (try sandbox.onlyRun(in: "stored").table("trials.csv").rows, ended.complaint)
        }

        private func bytes(_ row: [String: String], _ column: String) throws -> Double {
            try #require(row[column].flatMap(Double.init), "\(column): \(row)") / 1_048_576
        }

        @Test func aCommandIsChargedForTheFileThatItWrites() async throws {
            let sandbox = try Sandbox("charge")
            let rows = try await rows(
                sandbox, "exec", "dd if=/dev/zero of=written bs=1M count=32",
                "dd if=/dev/zero of=/dev/null bs=32M count=1"
            ).rows
            let written = try #require(rows.first { $0["mode"]?.contains("written") == true })
            let held = try #require(rows.first { $0["mode"]?.contains("null") == true })
            // Programs that the machine has to read again are page cache as well, of at most 16 MiB.
            #expect((32...53).contains(try bytes(written, "charged_peak_bytes")))
            #expect((31...48).contains(try bytes(written, "charged_page_cache_bytes")))
            #expect(try bytes(written, "charged_anonymous_bytes") < 2)
            #expect((31...34).contains(try bytes(held, "charged_anonymous_bytes")))
            #expect(try bytes(held, "charged_page_cache_bytes") < 16)
        }

        @Test func aModeIsChargedForWhatItFetches() async throws {
            let sandbox = try Sandbox("charge-mode")
            let rows = try await rows(
                sandbox, "run", "--mode", "data,download", "--asset", "16MiB", "--allocator", "glibc"
            ).rows
            let data = try #require(rows.first { $0["mode"] == "data" })
            let download = try #require(rows.first { $0["mode"] == "download" })
            #expect((30...36).contains(try bytes(data, "charged_growth_bytes")))
            // The file is page cache, as is a program that the machine had to read again before the mark.
            #expect((15...19).contains(try bytes(download, "charged_growth_bytes")))
            #expect(
                try bytes(download, "charged_page_cache_bytes") >= 15 && bytes(download, "charged_anonymous_bytes") < 8)
            #expect(rows.first { $0["mode"] == "none" }?["charged_peak_bytes"] != "")
        }

        @Test func aKilledChildCountsEvenIfItsParentLives() async throws {
            let sandbox = try Sandbox("killed-child")
            let rows = try await rows(
                sandbox, "exec", "dd if=/dev/zero of=/dev/null bs=64M count=1; true", "true", "--container-limit",
                "24MiB", status: 2
            ).rows
            let killed = try #require(rows.first { $0["mode"]?.contains("dd") == true })
            #expect(killed["outcome"] == "killed_by_limit" && killed["outcome_detail"]?.contains("(dd)") == true)
            #expect(rows.first { $0["mode"] == "true" }?["outcome"] == "completed")
            #expect(rows.allSatisfy { $0["container_limit_bytes"] == "25165824" })
            try await expectNothingLeft()
        }

        @Test func aLimitIsADimension() async throws {
            let sandbox = try Sandbox("limits")
            let (rows, said) = try await rows(
                sandbox, "run", "--mode", "data,stream", "--asset", "32MiB", "--allocator", "glibc",
                "--container-limit", "none,40MiB", status: 2)
            #expect(said.contains("killed_by_limit"), "\(said)")
            let outcomes = Dictionary(uniqueKeysWithValues: rows.map { ($0["case"] ?? "", $0["outcome"]) })
            #expect(outcomes["32MiB/data/none/glibc"] == "completed")
            #expect(outcomes["32MiB/data/none/glibc/limit=40MiB"] == "killed_by_limit")
            #expect(outcomes["32MiB/stream/none/glibc/limit=40MiB"] == "completed")
        }

        /// Of the second one nearly all is page cache; the third fails once, without having reached its limit.
        @Test(arguments: [
            ("dd if=/dev/zero of=/dev/null bs=24M count=1", 25.0, 27.0),
            ("dd if=/dev/zero of=w bs=1M count=24", 1.0, 4.0),
            ("echo >> n; [ $(wc -l < n) != 9 ] && dd if=/dev/zero of=/dev/null bs=24M count=1", 25.0, 27.0),
        ])
        func theSmallestLimitIsFound(command: String, least: Double, most: Double) async throws {
            let words = ["survive", command, "--trials", "5", "--format", "json"]
            let ended = try await Sandbox("survive").fetchbench(words, status: 0, within: 120)
            let answer = try JSONSerialization.jsonObject(with: Data(ended.output.utf8)) as? [String: Any]
            let found = try #require((answer?["cases"] as? [[String: Any]])?.first)
            let sizes = ["failed_bytes", "survives_bytes", "unhurt_bytes", "setting_bytes"].compactMap {
                found[$0] as? Double
            }
            #expect(sizes.count >= 3 && sizes == sizes.sorted(), "\(sizes)")
            #expect((least...most).contains(try #require(found["survives_bytes"] as? Double) / 1_048_576))
            #expect(ended.output.contains("\"failed\"") == command.hasPrefix("echo"))
            try await expectNothingLeft()
        }

        /// A limit holds only what is charged to the group of the trial: what is not is no answer, and says why.
        @Test(arguments: [
            ("false", "without a limit"), ("echo >> n; exit $(($(wc -l < n) % 2))", "by itself"),
            ("[ -e s ] || { echo >s; dd if=/dev/zero of=/dev/null bs=24M count=1; }", "outlives it"),
            ("mkdir $G/e$$; echo 0 > $G/e$$/cgroup.procs; dd if=/dev/zero of=/dev/null bs=24M count=1", "dd left"),
            ("python3 -c 'import mmap, os; m = mmap.mmap(os.open(\"'$S'\", 2), 0); m[::4096]; os._exit(0)'", "held"),
        ])
        func aLimitThatDoesNotHoldIsNoAnswer(command: String, reason: String) async throws {
            let shared = "/dev/shm/\(UUID())"
            try Data(count: 24 << 20).write(to: URL(fileURLWithPath: shared))
            defer { unlink(shared) }
            let ended = try await Sandbox("no-answer").fetchbench(
                ["survive", command, "--trials", "2", "--format", "table,markdown,json,html"], status: 2,
                environment: ["G": try ControlGroupPlace.here.get().folder, "S": shared], within: 120)
            #expect(ended.output.contains(reason), "\(ended.output)")
        }

        @Test(arguments: [SIGINT, SIGKILL]) func aStoppedSearchLeavesNothingAndGoesOn(signal: Int32) async throws {
            let sandbox = try Sandbox("survive-stopped")
            let process = try sandbox.start(["survive", "sleep 0.1", "--trials", "2", "--output", "stored"])
            #expect(try await eventually(within: 30) { try owns(process) && !sandbox.runFolders(in: "stored").isEmpty })
            process.send(signal)
            _ = try await process.end(within: 30)
            #expect(try await eventually(within: 30) { try !owns(process) })
            let folder = try #require(sandbox.runFolders(in: "stored").first)
            var said: Set<String> = []
            for words in [["survive", "--resume", folder], ["report", folder]] {
                said.insert(try await sandbox.fetchbench(words + ["--format", "csv"], status: 0).output)
            }
            #expect(said.count == 1)
        }
    }

    /// Where no control group can be made, everything but charges and limits is as ever.
    @Suite struct WithoutControlGroups {
        private static let unshare = "/usr/bin/unshare"
        private static let namespace = (getuid() == 0 ? [] : ["--user", "--map-root-user"]) + ["--mount", "sh", "-c"]
        /// Scripts that run their arguments where the hierarchies are hidden, read-only, or of another user; the last two
        /// only if this is root.
        private static let ways =
            ["mount -t tmpfs none /sys/fs/cgroup && exec \"$@\""]
            + (getuid() == 0
                ? [
                    "for m in /sys/fs/cgroup /sys/fs/cgroup/*; do mount -o remount,bind,ro $m; done 2>/dev/null; "
                        + "exec \"$@\"",
                    "exec setpriv --reuid=65534 --regid=65534 --clear-groups \"$@\"",
                ].filter { starts($0) } : [])

        /// True if the built command starts there: another user may not be let into the folder of the build.
        private static func starts(_ way: String) -> Bool {
            let words = namespace + [way, "sh", BuiltBinary.path, "--version"]
            return (try? TestProcess.run(unshare, words, within: 60))?.status == 0
        }

        private static let mayUnshare =
            (try? TestProcess.run(unshare, namespace + [ways[0], "sh", "true"], within: 60))?.status == 0

        private func fetchbench(_ sandbox: Sandbox, _ way: String, _ arguments: [String]) async throws -> Ended {
            // The other user writes there, too.
            for folder in [sandbox.path, sandbox.work, sandbox.temporary, sandbox.home] { chmod(folder, 0o777) }
            return try await sandbox.start(Self.unshare, Self.namespace + [way, "sh", BuiltBinary.path] + arguments)
                .end(within: 100)
        }

        @Test(.enabled(if: mayUnshare, "no namespaces here"), arguments: ways)
        func chargesAreEmptyAndTheRestIsThere(way: String) async throws {
            let sandbox = try Sandbox("no-groups")
            let ended = try await fetchbench(sandbox, way, ["exec", "true", "--trials", "2", "--output", "stored"])
            #expect(ended.status == 0, "\(ended.complaint)")
            let rows = try sandbox.onlyRun(in: "stored").table("trials.csv").rows
            #expect(rows.count == 2)
            for row in rows {
                #expect(row.allSatisfy { !$0.key.hasPrefix("charged_") || $0.value.isEmpty })
                #expect(row["net_peak_bytes"] != "" && row["outcome"] == "completed")
            }
        }

        @Test(.enabled(if: mayUnshare, "no namespaces here"), arguments: ways)
        func limitsAreRefusedWithTheReason(way: String) async throws {
            let sandbox = try Sandbox("no-groups")
            for words in [["survive", "true"], ["exec", "true", "--container-limit", "64MiB", "--output", "stored"]] {
                let ended = try await fetchbench(sandbox, way, words)
                #expect(ended.status == 2 && ended.output.isEmpty && ended.complaint.contains("control group"))
            }
            #expect(sandbox.runFolders(in: "stored").isEmpty)
        }
    }
}
