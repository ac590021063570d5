// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

extension EndToEnd {
    /// The origin alone, for any client.
    @Suite struct Serve {
        @Test func servesTheAssetThatARunExpects() async throws {
            let sandbox = try Sandbox("serve")
            #expect(
                try await sandbox.fetchbench(
                    "run", "--asset", "1MiB", "--seed", "7", "--mode", "raw", "--render", "none", "--trials", "1"
                ).status == 0)
            let expected = try #require(try sandbox.onlyRun().record().plan.assets.first?.sha256)
            let origin = try await ServeProcess(sandbox)
            let url = origin.url + "/bytes/1MiB?seed=7"
            for (number, options) in [[], ["--http1.0"], ["-H", "Accept-Encoding: gzip"]].enumerated() {
                let file = sandbox.work + "/fetched-\(number)"
                let curl = try sandbox.start(
                    BuiltBinary.tool("curl"), ["-q", "-sS", "--fail", "--noproxy", "*", "-o", file] + options + [url])
                #expect(try await curl.end(within: 20).status == 0)
                #expect(try await sandbox.tool("sha256sum", file).output.hasPrefix(expected))
            }
            let wget = try await sandbox.tool("wget", "-q", "--no-proxy", "-O", sandbox.work + "/wgot", url)
            #expect(wget.status == 0)
            #expect(try await sandbox.tool("sha256sum", sandbox.work + "/wgot").output.hasPrefix(expected))
            #expect(origin.process.output == origin.url + "\n", "its address is all it says")
        }

        @Test(arguments: [SIGTERM, SIGINT])
        func endsAtOnceWhenItIsAskedTo(signal: Int32) async throws {
            let sandbox = try Sandbox("ending")
            let origin = try await ServeProcess(sandbox, "--rate", "1MiB")
            // In the middle of a body, too.
            let curl = try sandbox.start(
                BuiltBinary.tool("curl"), ["-q", "-sS", "--noproxy", "*", "-o", "part", origin.url + "/bytes/64MiB"])
            #expect(
                try await eventually(within: 10) {
                    (try? FileManager.default.attributesOfItem(atPath: sandbox.work + "/part")[.size] as? Int) ?? 0 > 0
                })
            origin.process.send(signal)
            #expect(try await origin.process.end(within: 2).status == 0)
            #expect(try await curl.end(within: 5).status != 0)
        }

        @Test func aPortInUseIsSaid() async throws {
            let sandbox = try Sandbox("port")
            let origin = try await ServeProcess(sandbox)
            let second = try await sandbox.fetchbench("serve", "--port", "\(origin.port)")
            #expect(second.status == 2)
            #expect(second.output.isEmpty)
            #expect(second.complaint.contains("\(origin.port)") && second.complaint.contains("in use"))
            #expect(origin.process.isRunning)
        }
    }
}
