// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
package import Origin

/// The flags of an origin that runs alone, with TLS or without, and its work.
package struct ServeOptions: ParsableArguments {
    package static let discussion = String(decoding: PackageResources.serve_txt, as: UTF8.self)

    @Option(help: "Port; 0 uses a free one.")
    var port = 0

    @Option(help: ArgumentHelp("Bytes per second, such as 60MiB, or unlimited (default: 60MiB).", valueName: "rate"))
    var rate: String?

    @Option(
        help: ArgumentHelp("Delay before each response, such as 80ms (default: 0).", valueName: "duration"))
    var latency: String?

    @Option(
        help: ArgumentHelp(
            "Preset for --rate and --latency (default: none); explicit flags win: \(NetworkProfile.all.map(\.name).joined(separator: ", ")).",
            valueName: "profile"))
    var profile: String?

    @Option(
        help: ArgumentHelp(
            "Also serve https; the certificate of its authority is written to this file (default: none).",
            valueName: "file"))
    package private(set) var tls: String?

    @Option(
        help: ArgumentHelp(
            "HTTP versions over TLS: 1.1 (default), or 1.1,2 for a second https address with HTTP/2.",
            valueName: "versions"))
    var http = "1.1"

    @Flag(help: .hidden)
    var untilStdinCloses = false

    @Option(help: .hidden)
    var journal: String?

    package func validate() throws {
        try Usage.check("--port", port, in: 0...65_535)
        _ = try Usage.checked { try pace() }
        guard tls != "" else {
            throw ValidationError("invalid --tls '': expected a file for the authority's certificate")
        }
        guard ["1.1", "1.1,2"].contains(http) else {
            throw ValidationError("invalid --http '\(SafeText.forTerminal(http))': expected 1.1 or 1.1,2")
        }
        guard tls != nil || http == "1.1" else {
            throw ValidationError("--http 1.1,2 needs --tls")
        }
    }

    private func pace() throws -> TrialSettings {
        let given = [("rate", rate), ("latency", latency), ("profile", profile)]
        return try SettingValues(flags: Dictionary(given) { $1 }.compactMapValues(\.self)).settings
    }

    package init() {}

    /// Serves until it is stopped.
    /// - Parameter security: Makes TLS, with HTTP/2 or without; `nil` in a program that has none.
    package func serve(with security: ((_ offersHTTP2: Bool) throws -> OriginSecurity)?) async throws {
        do {
            try await serve(security: tls == nil ? nil : security?(http == "1.1,2"))
        } catch let error as FetchBenchError where error.kind != .usage {
            Console.complain("the origin cannot serve: \(error)")
            throw ExitCode.noAnswer
        }
    }

    private func serve(security: OriginSecurity?) async throws {
        let library = try AssetLibrary.announced.get()
        let pace = try pace()
        var configuration = OriginConfiguration(
            port: port, rate: TransferRate(parsing: pace.rate) ?? .standard, library: library, security: security,
            journalPath: journal)
        configuration.latencyNanoseconds = pace.latencyNanoseconds ?? 0
        let origin = try await OriginServer.start(configuration)
        do {
            try writeAuthority(of: origin)
            if untilStdinCloses {
                try announce(origin)
                // The harness holds the other end: however it ends, this process ends with it.
                await waitForEndOfInput()
            } else {
                // The reader of the address may send a signal at once.
                try await whileListeningForSignals {
                    try announce(origin)
                    try await Task.sleep(for: .seconds(365 * 86_400))
                }
            }
        } catch is CancellationError {
            // Ended by a signal.
        } catch {
            try? await origin.stop()
            throw error
        }
        try await origin.stop()
    }

    private func waitForEndOfInput() async {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                _ = SystemCall.readAll(from: STDIN_FILENO)
                continuation.resume()
            }
        }
    }

    private func announce(_ origin: OriginServer) throws {
        let addresses = [origin.baseURL, origin.secureBaseURL, origin.http2BaseURL].compactMap(\.self)
        try Console.answer(addresses.joined(separator: "\n"))
    }

    /// Writes the authority that clients have to trust, readable by all: a certificate is not secret.
    private func writeAuthority(of origin: OriginServer) throws {
        guard let tls, let text = origin.certificateAuthorityPEM else { return }
        do {
            try WholeFile.write(text, to: tls, name: tls)
            guard chmod(tls, 0o644) == 0 else { throw FetchBenchError.cannotWrite(name: tls, errno: errno) }
        } catch let error as FetchBenchError {
            Console.complain("--tls: \(error.message)")
            throw ExitCode.noAnswer
        }
    }
}
