// SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import CCurl
package import Foundation
import Glibc
import MemProbe
import NIOCore

extension ProbeCatalog {
    static let clientDefaults = [
        Probe("get-limit-ahc") { context in
            let response = try await HTTPClient.shared.get(url: context.url("/bytes/64MiB").absoluteString).get()
            context.report("delivered", response.body?.readableBytes ?? 0)
        },
        Probe("accumulator-limit-ahc") { context in
            let request = try HTTPClient.Request(url: context.url("/bytes/64MiB").absoluteString)
            let accumulator = ResponseAccumulator(request: request, maxBodySize: 1 << 20)
            do {
                let response = try await HTTPClient.shared.execute(request: request, delegate: accumulator).get()
                context.report("delivered", response.body?.readableBytes ?? 0)
            } catch is ResponseAccumulator.ResponseTooBigError {
                context.report("error", "ResponseTooBigError")
            }
        },
        Probe("redirects-default-ahc") { context in
            let response = try await HTTPClient.shared.get(url: context.url("/faults/redirect/3").absoluteString).get()
            context.report("delivered", response.body?.readableBytes ?? 0)
        },
    ]

    static let harness = [
        Probe("hang") { _ in
            while true { pause() }
        },
        Probe("trap") { context in
            context.report("about", "to trap")
            // The standard library's traps have a message; a precondition of this module prints none in a release.
            let twice = (0..<2).map { (context.origin, $0) }
            context.report("value", Dictionary(uniqueKeysWithValues: twice).count)
        },
        Probe("settle") { context in
            for number in 1...4 { context.mark("\(number)", settles: true) }
        },
        Probe("give-up") { _ in throw ProbeError("nothing could be tried, on purpose") },
    ]
}

/// The libraries that this process has loaded, which may differ from those it was built with.
package enum LoadedLibraries {
    /// The result of `curl_version`: `libcurl/8.5.0 OpenSSL/3.0.13 zlib/1.3 …`.
    package static var libcurl: String? { curl_version().map { String(cString: $0) } }

    /// The platform that the toolchain's URLSession was built on: `Ubuntu 22.04 (GCC 11.4.0)`; `nil` if it is linked
    /// statically or has no compiler comment.
    ///
    /// It determines which functions of libcurl were left out, whichever libcurl is loaded later.
    package static var toolchainPlatform: String? {
        guard let line = mappings.split(separator: "\n").first(where: { $0.hasSuffix("/libFoundationNetworking.so") }),
            let slash = line.firstIndex(of: "/"),
            let library = try? Data(contentsOf: URL(fileURLWithPath: String(line[slash...])), options: .alwaysMapped)
        else { return nil }
        return platform(inLibrary: library)
    }

    /// The mappings of this process; read by hand to the end, because Foundation stops after the first page.
    private static var mappings: String {
        let file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return "" }
        defer { close(file) }
        return String(decoding: SystemCall.readAll(from: file) ?? [], as: UTF8.self)
    }

    /// Returns `Ubuntu 22.04 (GCC 11.4.0)` for `GCC: (Ubuntu 11.4.0-1ubuntu1~22.04.2) 11.4.0` in an ELF's `.comment`.
    ///
    /// The package's version has the release after a tilde, if it was built for an older release than its own.
    package static func platform(inLibrary library: Data) -> String? {
        guard let start = library.range(of: Data("GCC: (".utf8), options: .backwards),
            let end = library[start.upperBound...].prefix(200).firstIndex(of: UInt8(ascii: ")"))
        else { return nil }
        let words = String(decoding: library[start.upperBound..<end], as: UTF8.self).split(separator: " ", maxSplits: 1)
        guard words.count == 2 else { return words.first.map(String.init) }
        let release = words[1].split(separator: "~").dropFirst().last?.split(separator: ".").prefix(2)
            .joined(separator: ".")
        guard let release, release.allSatisfy({ $0.isNumber || $0 == "." }) else {
            return "\(words[0]) (GCC \(words[1]))"
        }
        return "\(words[0]) \(release) (GCC \(words[1].prefix { $0 != "-" }))"
    }
}
