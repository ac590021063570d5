// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import TestSupport
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
            // Other tests may make their own meanwhile.
            #expect(
                Set(try leftovers()).subtracting(before).allSatisfy { name in
                    ((try? FileManager.default.contentsOfDirectory(atPath: "/dev/shm/" + name)) ?? []).isEmpty
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

        /// Whether this process may mount a file system of its own.
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
            // What it is filled with, if anything, comes when the run has begun.
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
}
