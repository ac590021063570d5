// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import AssetServer
import FetchBenchKit

/// `fetchbench serve`: the origin alone.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Serve the assets on 127.0.0.1, for any client.",
        discussion: """
            Prints its address and serves until it is stopped: /assets/hero.jpg, /assets/hero-progressive.jpg,
            /bytes/SIZE?seed=N, each with ?rate=60MiB|unlimited and ?encoding=length|chunked; /stats counts requests;
            /faults/… misbehaves on purpose.
            """)

    @Option(help: "The port; 0 takes a free one.")
    var port = 0

    @Option(help: ArgumentHelp("How fast to send: 60MiB a second, or unlimited.", valueName: "rate"))
    var rate = TransferRate.standard.text

    @Flag(help: .hidden)
    var untilStdinCloses = false

    func validate() throws {
        guard (0...65_535).contains(port) else { throw ValidationError("--port: \(port) is not between 0 and 65535") }
        guard TransferRate(parsing: rate) != nil else {
            throw ValidationError(
                "--rate: '\(SafeText.forTerminal(rate))' is no rate; give a size a second such as 60MiB, or unlimited")
        }
    }

    func run() async throws {
        do {
            try await serve()
        } catch let error as AssetError {
            Console.complain("the origin cannot serve: \(error)")
            throw ExitStatus.noAnswer
        }
    }

    private func serve() async throws {
        let library = Surroundings.library
        let origin = try await Origin.start(
            OriginConfiguration(
                port: port, rate: TransferRate(parsing: rate) ?? .standard, library: library))
        try Console.answer(origin.baseURL)
        if untilStdinCloses {
            // A run holds the other end: however it ends, this process ends with it.
            await StandardInput.waitForEnd()
        } else {
            try? await Interrupt.whileListening { try await Task.sleep(for: .seconds(365 * 86_400)) }
        }
        try await origin.stop()
    }
}
