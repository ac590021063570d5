// SPDX-License-Identifier: Apache-2.0

import CommandConsole
import OriginTLS

/// `fetchbench-origin`: the origin of `fetchbench serve`, with the libraries for TLS and HTTP/2.
@main
struct FetchBenchOrigin: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fetchbench-origin", abstract: "Serve the assets on 127.0.0.1, over https and HTTP/2 too.",
        discussion: ServeOptions.discussion, version: BuildInformation.version)

    @OptionGroup
    var options: ServeOptions

    func run() async throws { try await options.serve { try .made(offeringHTTP2: $0) } }

    static func main() async {
        await CommandMain.run(Self.self) { _ in "fetchbench-origin" }
    }
}
