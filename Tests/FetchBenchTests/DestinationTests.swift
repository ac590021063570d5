// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

extension EndToEnd {
    /// Files that have to end on another file system than that of TMPDIR.
    @Suite struct Destinations {
        private static let quick = ["--render", "none", "--trials", "1", "--quiet"]

        private static func device(of path: String) -> UInt? {
            var information = stat()
            return stat(path, &information) == 0 ? information.st_dev : nil
        }

        /// True if /dev/shm, or /var/tmp in its place, is on another file system than the sandbox.
        private static func hasOther(besides sandbox: Sandbox) -> Bool {
            ["/dev/shm", "/var/tmp"].contains { device(of: $0) != device(of: sandbox.temporary) }
        }

        private func leftovers() throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: "/dev/shm").filter { $0.hasPrefix("fetchbench-") }
        }

        @Test func aFileEndsOnAnotherFileSystemWithItsPageCache() async throws {
            let sandbox = try Sandbox("destination")
            let before = try leftovers()
            let ended = try await sandbox.fetchbench(
                [
                    "--asset", "4MiB", "--mode", "download,download-delegate,ahc-file,stream,data", "--destination",
                    "same,other", "--rate", "unlimited",
                ] + Self.quick)
            guard Self.hasOther(besides: sandbox) else {
                #expect(ended.status == 2 && ended.complaint.contains("give one with --destination-folder"))
                return
            }
            #expect(ended.status == 0, "\(ended.complaint)")
            let run = try sandbox.onlyRun()
            let rows = try run.table("trials.csv").rows.filter { $0["mode"] != "none" }
            #expect(rows.count == 9 && rows.allSatisfy { $0["outcome"] == "completed" })
            let moved = rows.filter { $0["destination"] == "other" }
            #expect(
                Set(moved.compactMap { $0["mode"] }) == ["download", "download-delegate", "ahc-file", "stream"])
            for row in moved { #expect(try row.number("page_cache_bytes") == 4_194_304, "\(row["case"] ?? "")") }
            let report = try run.text(of: "report.md")
            #expect(report.contains("other destination: "))
            #expect(report.contains("mode data does not store the body in a file"))
            // Other tests make their own meanwhile, and fill them while they run.
            #expect(
                try await eventually(within: 60) {
                    Set(try leftovers()).subtracting(before).allSatisfy { name in
                        ((try? FileManager.default.contentsOfDirectory(atPath: "/dev/shm/" + name)) ?? []).isEmpty
                    }
                })
        }

        @Test func aFolderOnTheSameFileSystemIsRefused() async throws {
            let sandbox = try Sandbox("same")
            for (folder, reason) in [
                (sandbox.work, "is on the same file system as TMPDIR"), ("nowhere", "No such file or directory"),
                ("/dev/null", "Not a directory"),
            ] {
                let ended = try await sandbox.fetchbench(
                    ["--asset", "4KiB", "--mode", "download", "--destination", "other", "--destination-folder", folder]
                        + Self.quick)
                #expect(ended.status == 2 && ended.complaint.contains(reason), "\(ended.complaint)")
                #expect(sandbox.runFolders().isEmpty)
            }
        }

        private static let mayMount = {
            let ended = try? TestProcess.run(
                "/usr/bin/unshare", ["--mount", "sh", "-c", "mount -t tmpfs -o size=64k none /mnt"])
            return ended?.status == 0
        }()

        /// Runs a plan whose files end in a tmpfs of its own, and prints what is in that at the end.
        private func run(
            _ sandbox: Sandbox, mounted options: String, filledWith filling: Int = 0, _ arguments: [String]
        ) async throws -> Ended {
            let folder = sandbox.path + "/mounted"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            // Its contents, if any, appear once the run has begun.
            let script = """
                folder=$1; filling=$2; shift 2
                mount -t tmpfs -o \(options) none "$folder" || exit 99
                [ "$filling" = 0 ] || {
                    until [ -e results/*/run.json ]; do sleep 0.005; done
                    head -c "$filling" /dev/zero > "$folder/filling"
                } &
                "$0" "$@" --destination other --destination-folder "$folder" >/dev/null
                status=$?; kill %1 2>/dev/null; rm -f "$folder/filling"; ls -A "$folder"; exit $status
                """
            return try await sandbox.start(
                "/usr/bin/unshare",
                ["--mount", "sh", "-c", script, BuiltBinary.path, folder, "\(filling)"] + arguments + Self.quick
            ).end(within: 100)
        }

        @Test(.enabled(if: mayMount, "no right to mount a small device"))
        func aFullDestinationFailsTheTrialsAndKeepsNothing() async throws {
            let sandbox = try Sandbox("full")
            let origin = try await ServeProcess(sandbox)
            // There is room for the file before the run, so that it begins, and none afterwards.
            let ended = try await run(
                sandbox, mounted: "size=24m", filledWith: 16 << 20,
                ["--url", origin.url + "/bytes/16MiB", "--mode", "none,download,ahc-file"])
            #expect(ended.status == 2 && ended.output.isEmpty, "\(ended.status) \(ended.output) \(ended.complaint)")
            let rows = try sandbox.onlyRun().table("trials.csv").rows.filter { $0["mode"] != "none" }
            #expect(rows.count == 2 && rows.allSatisfy { $0["outcome"] == "failed" })
            let details = rows.compactMap { $0["outcome_detail"] }
            #expect(details.contains { $0.contains("No space left on device (ENOSPC)") }, "\(details)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: sandbox.temporary).isEmpty)
        }

        @Test(
            .enabled(if: mayMount, "no right to mount a small device"),
            arguments: [
                ("ro", "Read-only file system (EROFS)"), ("size=4m", "the folder of --destination other has room"),
            ])
        func aDestinationThatCannotTakeTheFilesIsToldBeforeTheRun(options: String, reason: String) async throws {
            let sandbox = try Sandbox("unfit")
            let ended = try await run(sandbox, mounted: options, ["--asset", "16MiB", "--mode", "download"])
            #expect(ended.status == 2 && ended.complaint.contains(reason), "\(ended.complaint)")
            #expect(sandbox.runFolders().isEmpty)
        }
    }

    @Suite struct Latency {
        @Test func aRunIsMeasuredUnderIt() async throws {
            let sandbox = try Sandbox("paced")
            try sandbox.write(
                "assets: [16KiB]\nmodes: [raw]\nrenders: [none]\ntrials: 1\nprofile: lte\n", to: "lte.yml")
            try await sandbox.fetchbench("run", "--suite", "lte.yml", status: 0)
            let run = try sandbox.onlyRun()
            let row = try #require(try run.table("trials.csv").rows.first { $0["mode"] == "raw" })
            #expect(try row.number("fetch_duration_ns") >= 70_000_000)
            let settings = try #require(try PlanOfRun(run).settings)
            #expect(settings["latency_ns"] as? Int == 70_000_000)
            let report = try run.text(of: "report.md")
            #expect(report.contains(" --latency 70ms ") && report.contains(" after 70ms"), "\(report.suffix(1500))")
        }
    }
}

extension Conduct {
    /// Memory of a pool of huge pages, which is in no counter of resident pages.
    ///
    /// Where this user may not set pages aside, and none are, there is nothing to measure.
    @Suite(.enabled("only root may set huge pages aside") { HugePages.canBeHad })
    struct HugePagePools {
        /// Touches 40 MiB of the pool and holds them for a while, and then 10 MiB of the rest.
        private static let holding = """
            import mmap, time
            pages = mmap.mmap(-1, 40 << 20, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x40000)
            for place in range(0, 40 << 20, 4096): pages[place] = 1
            time.sleep(0.1)
            pages.close()
            rest = bytearray(b"x") * (10 << 20)
            time.sleep(0.05)
            """

        @Test func theyCountAndAreLimited() async throws {
            let sandbox = try Sandbox("huge")
            let path = try sandbox.write(Self.holding, to: "huge.py")
            try await HugePages.with(64 << 20) {
                let ended = try await sandbox.fetchbench(
                    "exec", "\(BuiltBinary.systemPython()) \(path)", "--trials", "2", "--limit", "40MiB", "--format",
                    "commands", status: 1, within: 60)
                let answer = try ExecAnswer(ended.output)
                #expect(answer.overLimit.count == 1)
                for trial in answer.trials {
                    let net = trial.figures["net_peak_bytes"].map { Int($0) } ?? 0
                    #expect((40 << 20...60 << 20).contains(net), "\(net)")
                    #expect((net...70 << 20).contains(trial.peak), "\(trial.peak)")
                    #expect(
                        trial.figures["peak_error_bound_bytes"].map { $0 > Double(5 << 20) } == true, "\(trial.figures)"
                    )
                }
                #expect(answer.warnings.contains { $0.contains("huge page pool") }, "\(answer.warnings)")
            }
        }
    }
}

private enum HugePages {
    private static let file = "/proc/sys/vm/nr_hugepages"

    private static var count: Int {
        let text = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
        return Int(text.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0
    }

    private static func set(_ count: Int) {
        guard let stream = fopen(file, "w") else { return }
        fputs("\(count)", stream)
        fclose(stream)
    }

    private static var size: Int {
        let text = (try? String(contentsOfFile: "/proc/meminfo", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix("Hugepagesize:") }
        return (line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) << 10
    }

    static var canBeHad: Bool { size > 0 && size <= 4 << 20 && access(file, W_OK) == 0 }

    /// Sets pages aside while `body` runs.
    static func with(_ bytes: Int, _ body: () async throws -> Void) async throws {
        let before = count
        set(before + bytes / size)
        defer { set(before) }
        try #require(count >= before + bytes / size, "so much memory is not free in one piece")
        try await body()
    }
}
