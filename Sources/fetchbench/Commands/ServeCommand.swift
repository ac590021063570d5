// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Glibc
import Measuring
import MemProbe
import OperatingSystem
import Origin
import Runs
import Texts

/// `fetchbench serve`: runs the origin alone.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Serve the assets on 127.0.0.1, for any client.",
        discussion: """
            Prints its address, on a second line that of https and on a third that of https with HTTP/2 where they are
            offered, and serves until it is stopped:

              /assets/hero.jpg, /assets/hero-progressive.jpg   images of 6000×4000 pixels
              /gallery/manifest.json, /gallery/01.jpg …        the pictures of a gallery, and what they are
              /bytes/SIZE?seed=N, /text/SIZE?seed=N            bytes and text of any size up to 1TiB
              /json/SIZE?seed=N                                an array of records of any size
              /sink                                            takes a POST or PUT of any size, answers with its SHA-256
              /stats, /requests?path=/x                        counts, and the last 20,000 requests, in JSON
              /healthz                                         204
              /auth/basic, /auth/digest                        401 without the credentials user and password
              /redirect/STATUS?to=URL&cookie=NAME              redirects GET, POST or PUT; sets a cookie if one is named
              /faults/…                                        misbehaves on purpose

            Images, bytes and text take parameters; of them, /sink takes delay:

              rate=60MiB|unlimited            how fast the body is sent
              encoding=length|chunked|gzip    its form; gzip where the client accepts it
              ranges=none                     the whole body, whatever part is asked for
              cache=SECONDS                   a cache may keep the answer for so long
              cut=SIZE                        closes the connection after so much, unless a range is asked for
              stall=SIZE                      says no more after so much, until the client leaves
              changes-after=N                 other bytes after N requests: those of the next seed (no images)
              delay=MILLISECONDS              the answer begins later
            """)

    @Option(help: "The port; 0 takes a free one.")
    var port = 0

    @Option(help: ArgumentHelp("How fast to send: 60MiB a second (the default), or unlimited.", valueName: "rate"))
    var rate: String?

    @Option(
        help: ArgumentHelp("How long to wait before each answer, such as 80ms (default: 0).", valueName: "duration"))
    var latency: String?

    @Option(
        help: ArgumentHelp(
            "What --rate and --latency do not say: \(NetworkProfile.all.map(\.name).joined(separator: ", ")).",
            valueName: "profile"))
    var profile: String?

    @Option(
        help: ArgumentHelp(
            "Serve https, too, with a certificate made now; its authority is written to FILE.", valueName: "file"))
    var tls: String?

    @Option(
        help: ArgumentHelp(
            "Versions of HTTP over TLS: 1.1 (the default), or 1.1,2 for a second address of https with HTTP/2.",
            valueName: "versions"))
    var http = "1.1"

    @Flag(help: .hidden)
    var untilStdinCloses = false

    @Option(help: .hidden)
    var journal: String?

    func validate() throws {
        try Usage.check("--port", port, in: 0...65_535)
        _ = try Usage.checked { try pace() }
        guard tls != "" else { throw ValidationError("--tls: give the file to write the authority's certificate to") }
        guard ["1.1", "1.1,2"].contains(http) else {
            throw ValidationError("invalid --http '\(SafeText.forTerminal(http))': expected 1.1 or 1.1,2")
        }
        guard tls != nil || http == "1.1" else {
            throw ValidationError("--http 1.1,2 needs --tls: HTTP/2 is offered over TLS only")
        }
    }

    /// The rate and the latency.
    private func pace() throws(PlanMistake) -> TrialSettings {
        let given = [("rate", rate), ("latency", latency), ("profile", profile)]
        return try SettingValues(flags: Dictionary(given) { $1 }.compactMapValues(\.self)).settings
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
        let library = try AssetLibrary.announced.get()
        let pace = try pace()
        var configuration = OriginConfiguration(
            port: port, rate: TransferRate(parsing: pace.rate) ?? .standard, library: library, offersTLS: tls != nil,
            journalPath: journal)
        configuration.offersHTTP2 = http == "1.1,2"
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
                try await Interrupt.whileListening {
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

    /// Waits for the end of standard input on a separate thread, because reading blocks.
    private func waitForEndOfInput() async {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                _ = SystemCall.readAll(from: STDIN_FILENO)
                continuation.resume()
            }
        }
    }

    private func announce(_ origin: OriginServer) throws(ExitStatus) {
        let addresses = [origin.baseURL, origin.secureBaseURL, origin.http2BaseURL].compactMap(\.self)
        try Console.answer(addresses.joined(separator: "\n"))
    }

    /// Writes the authority that clients have to trust, readable by all: a certificate is not secret.
    private func writeAuthority(of origin: OriginServer) throws(ExitStatus) {
        guard let tls, let text = origin.certificateAuthorityPEM else { return }
        let code: Int32
        do throws(FileFailure) {
            try WholeFile.write(text, to: tls, name: tls)
            guard chmod(tls, 0o644) != 0 else { return }
            code = errno
        } catch {
            if case .cannotWrite(_, let number) = error { code = number } else { code = EIO }
        }
        Console.complain("--tls: \(tls) cannot be written: \(String(cString: strerror(code))). Nothing is served")
        throw .noAnswer
    }
}
