// SPDX-License-Identifier: Apache-2.0

import CommandConsole

/// `fetchbench serve`: runs the origin alone.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Serve the assets on 127.0.0.1 to any client.",
        discussion: ServeOptions.discussion)

    @OptionGroup
    var options: ServeOptions

    func run() async throws {
        guard options.tls == nil else { try CommandMain.becomeOwn("fetchbench-origin", for: "--tls") }
        try await options.serve(with: nil)
    }
}
