// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

extension EndToEnd {
    /// Users without a home of their own: `nobody`, a container without `/etc/passwd`.
    @Suite struct Homes {
        private static let plan = [
            "run", "--asset", "64KiB", "--mode", "raw", "--render", "none", "--rate", "unlimited", "--trials", "1",
        ]

        private static func cache(in sandbox: Sandbox) -> String {
            "\(sandbox.temporary)/fetchbench-cache-\(geteuid())"
        }

        @Test(arguments: ["/nonexistent", "/dev/null", "/proc"])
        func aHomeThatIsOfNoUseEndsNothing(home: String) async throws {
            let sandbox = try Sandbox("homeless")
            let world = ["HOME": home, "XDG_CACHE_HOME": ""]
            for _ in 1...2 {
                let ended = try await sandbox.fetchbench(Self.plan, environment: world)
                #expect(ended.status == 0, "\(ended.complaint)")
                #expect(ended.complaint.components(separatedBy: "HOME").count == 2, "it is said once")
                #expect(ended.complaint.contains(Self.cache(in: sandbox)))
            }
            let attributes = try FileManager.default.attributesOfItem(atPath: Self.cache(in: sandbox))
            #expect(attributes[.posixPermissions] as? Int == 0o700)
            #expect(try FileManager.default.contentsOfDirectory(atPath: sandbox.temporary).count == 1)
        }

        /// Who works in `/tmp`, or at home, has one folder for two purposes.
        @Test(arguments: ["TMPDIR", "HOME"])
        func oneFolderMayBeTwo(name: String) async throws {
            let sandbox = try Sandbox("two")
            let words = Self.plan + ["--exec", "copy=cp \(sandbox.work)/none {file} {url}"]
            let ended = try await sandbox.fetchbench(words, environment: [name: sandbox.work])
            #expect(ended.status == 2, "there is nothing to copy: \(ended.complaint)")
            let run = try sandbox.onlyRun()
            #expect(try !run.text(of: "run.json").contains(sandbox.work), "neither name lets the folder through")
        }

        @Test func noHomeAtAllEndsNothing() async throws {
            let sandbox = try Sandbox("unset")
            let words = ["-u", "HOME", "-u", "XDG_CACHE_HOME", BuiltBinary.path] + Self.plan
            let ended = try await sandbox.start(BuiltBinary.tool("env"), words).end(within: 30)
            #expect(ended.status == 0, "\(ended.complaint)")
            #expect(ended.complaint.contains("HOME is not set"))
        }

        @Test func doctorSaysWhereAssetsAreKept() async throws {
            let sandbox = try Sandbox("doctor")
            let usual = try await sandbox.fetchbench("doctor", environment: ["XDG_CACHE_HOME": ""])
            #expect(usual.output.contains(/ok +cache of assets +in the user's cache folder/))
            let useless = try await sandbox.fetchbench(
                "doctor", environment: ["HOME": "/nonexistent", "XDG_CACHE_HOME": ""])
            #expect(useless.output.contains(/limited +cache of assets +HOME is not an existing folder/))
            #expect(useless.output.contains("XDG_CACHE_HOME"))
        }

        /// A cache that anybody may have made, and that is used by nobody.
        private static func trap(in sandbox: Sandbox) throws -> (cache: String, environment: [String: String]) {
            let cache = Self.cache(in: sandbox)
            try FileManager.default.createDirectory(atPath: cache, withIntermediateDirectories: false)
            #expect(chmod(cache, 0o777) == 0)
            return (cache, ["HOME": "/nonexistent", "XDG_CACHE_HOME": ""])
        }

        @Test func storedRunsAreComparedWithoutACache() async throws {
            let sandbox = try Sandbox("uncached")
            let run = try await sandbox.place(MeasuredOnce.shared.run(holding: 8), as: "run")
            let (cache, environment) = try Self.trap(in: sandbox)
            let ended = try await sandbox.fetchbench("compare", run, run, environment: environment)
            #expect(ended.status == 0, "\(ended.complaint)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: cache).isEmpty)
        }

        @Test(arguments: [plan, ["run", "--url", "http://127.0.0.1:1/", "--mode", "raw", "--trials", "1"]])
        func aCacheThatAnybodyMayHaveMadeIsNotTrusted(words: [String]) async throws {
            let sandbox = try Sandbox("trap")
            let (cache, environment) = try Self.trap(in: sandbox)
            let ended = try await sandbox.fetchbench(words, environment: environment)
            #expect(ended.status == 2)
            #expect(ended.complaint.contains(cache) && ended.complaint.contains("XDG_CACHE_HOME"))
            #expect(ended.output.isEmpty && sandbox.runFolders().isEmpty)
            #expect(try FileManager.default.contentsOfDirectory(atPath: cache).isEmpty)
        }
    }
}
