// SPDX-License-Identifier: Apache-2.0

import Foundation
import Origin
import Runs
import Testing

@Suite(.serialized, .timeLimit(.minutes(5)))
struct TLSTests {
    @Test func isOfferedOnlyWhereItIsWanted() async throws {
        try await withOrigin { origin in
            #expect(origin.secureBaseURL == nil && origin.certificateAuthorityPEM == nil)
        }
    }

    @Test func isTrustedByCurlWithTheAuthorityAndRefusedWithoutIt() async throws {
        let asset = try TestLibrary().library().asset(named: "20000001B")
        try await withSecureOrigin { origin, url, authority in
            let port = try #require(url.split(separator: ":").last)
            for host in [url, "https://localhost:\(port)"] {
                let answer = try await Curl.fetch("--cacert", authority, "-4", host + asset.location)
                #expect(answer.exitStatus == 0 && answer.header.hasPrefix("HTTP/1.1 200"))
                #expect(try answer.sha256() == asset.sha256)
            }
            let refused = try await Curl.fetch(url + "/bytes/1")
            #expect(refused.exitStatus == 60 && refused.status == 0)
            let named = try await Curl.fetch(
                "--cacert", authority, "--resolve", "example.org:\(port):127.0.0.1",
                "https://example.org:\(port)/bytes/1")
            #expect(named.exitStatus == 60, "the certificate is not for other names")
            #expect(origin.requests().count == 2)
            #expect(url != origin.baseURL && origin.baseURL.hasPrefix("http://"))
        }
    }

    @Test func isTrustedByOpenSSLPythonAndGnuTLSWithTheAuthority() async throws {
        try await withSecureOrigin { _, url, authority in
            let address = String(url.dropFirst("https://".count))
            let openssl = ["s_client", "-brief", "-verify_return_error", "-x509_strict", "-connect", address]
            let trusted = try await Curl.tool("openssl", openssl + ["-verify_ip", "127.0.0.1", "-CAfile", authority])
            #expect(trusted == 0)
            let refused = try await Curl.tool("openssl", openssl)
            #expect(refused != 0)
            // Strict, as Python is from 3.13 on.
            let script = """
                import ssl, sys, urllib.request
                context = ssl.create_default_context(cafile=sys.argv[2] if len(sys.argv) > 2 else None)
                context.verify_flags |= ssl.VERIFY_X509_STRICT
                opener = urllib.request.build_opener(
                    urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=context))
                assert len(opener.open(sys.argv[1] + '/bytes/1MiB').read()) == 1 << 20
                """
            let trustedByPython = try await Curl.tool("python3", ["-c", script, url, authority])
            #expect(trustedByPython == 0)
            let refusedByPython = try await Curl.tool("python3", ["-c", script, url])
            #expect(refusedByPython != 0)
            let wget = ["--no-config", "-q", "--no-proxy", "--tries=1", "-O", "/dev/null", url + "/bytes/1MiB"]
            let trustedByGnuTLS = try await Curl.tool("wget", ["--ca-certificate", authority] + wget)
            #expect(trustedByGnuTLS == 0)
            let refusedByGnuTLS = try await Curl.tool("wget", wget)
            #expect(refusedByGnuTLS == 5)
        }
    }

    @Test func speaksHTTP11AloneAndTLS12AtLeast() async throws {
        try await withSecureOrigin { _, url, authority in
            for version in ["1.2", "1.3"] {
                let answer = try await Curl.fetch(
                    "--cacert", authority, "--http2", "--tls-max", version, "--tlsv1.2", url + "/bytes/1")
                #expect(answer.header.hasPrefix("HTTP/1.1 200"))
            }
            let old = try await Curl.fetch(
                "--cacert", authority, "--tlsv1.0", "--tls-max", "1.1", "--ciphers", "DEFAULT@SECLEVEL=0",
                url + "/bytes/1")
            #expect(old.exitStatus == 35)
        }
    }

    @Test func logsPacesCutsAndTakesUploadsAsItDoesWithout() async throws {
        try await withSecureOrigin { origin, url, authority in
            let trust = ["--cacert", authority]
            try await expectServingAsWithoutTLS(origin, url, trust, cut: [18, 56])
            #expect(try await eventually { origin.requests().allSatisfy { $0.ending != nil } })
            #expect(
                origin.requests().map(\.ending) == [.cut, .complete, .complete, .complete, .complete, .complete])
            #expect(origin.requests()[0].bytesSent == .kibibytes(300))
            #expect(origin.requests().map(\.connection) == Array(1...6))
        }
    }

    @Test(arguments: [
        FaultCase("status/404", status: 404, bytes: 14), FaultCase("redirect/3", bytes: 1024),
        FaultCase("stall", exit: 28, bytes: 16 * 1024), FaultCase("silent", exit: 28, status: 0, bytes: 0),
        FaultCase("escape-header", bytes: 3),
    ])
    func hasTheSameFaults(fault: FaultCase) async throws {
        try await withSecureOrigin { _, url, authority in
            let patience = fault.exitStatus == 28 ? ["-m", "2"] : []
            let answer = try await Curl.fetch(
                ["--cacert", authority, "-L"] + patience + [url + "/faults/" + fault.path])
            #expect(answer.exitStatus == fault.exitStatus && answer.status == fault.status)
            #expect(answer.body.count == fault.byteCount)
        }
    }

    @Test func resetsTheConnectionAndEndsItEarly() async throws {
        try await withSecureOrigin { origin, url, authority in
            let reset = try await Curl.fetch("--cacert", authority, url + "/faults/reset")
            #expect(reset.exitStatus == 56)
            let short = try await Curl.fetch("--cacert", authority, url + "/faults/short")
            #expect([18, 56].contains(short.exitStatus) && short.body.count == 16 * 1024)
            let isQuiet = try await eventually { origin.statistics().openConnections == 0 }
            #expect(isQuiet && origin.requests().map(\.ending) == [.cut, .cut])
        }
    }

    @Test func makesAnotherAuthorityEachTime() async throws {
        try await withSecureOrigin { _, url, _ in
            try await withSecureOrigin { _, _, authority in
                let answer = try await Curl.fetch("--cacert", authority, url + "/bytes/1")
                #expect(answer.exitStatus == 60)
            }
        }
    }
}

@Suite(.serialized, .timeLimit(.minutes(5)))
struct HTTP2Tests {
    private func withOrigin2(
        rate: TransferRate = .unlimited,
        _ body: (_ origin: OriginServer, _ url: String, _ trust: [String]) async throws -> Void
    ) async throws {
        try await withSecureOrigin(rate: rate, isHTTP2: true) { try await body($0, $1, ["--cacert", $2]) }
    }

    /// The requests once none of them is under way.
    private func ended(_ origin: OriginServer) async throws -> [RequestRecord] {
        let areOver = try await eventually { origin.requests().allSatisfy { $0.ending != nil } }
        #expect(areOver)
        return origin.requests()
    }

    @Test func isOfferedOnlyWhereItIsWanted() async throws {
        try await withOrigin(offersTLS: true) { origin in #expect(origin.http2BaseURL == nil) }
    }

    @Test func isNegotiatedByAddressTheOtherOneStaysWithHTTP11() async throws {
        let asset = try TestLibrary().library().asset(named: "20000001B")
        try await withOrigin2 { origin, url, trust in
            for (options, base, version) in [
                (["--http2"], url, "2"), (["--http1.1"], url, "1.1"),
                (["--http2"], try #require(origin.secureBaseURL), "1.1"),
            ] {
                let answer = try await Curl.fetch(trust + options + [base + asset.location])
                #expect(answer.exitStatus == 0 && answer.header.hasPrefix("HTTP/\(version) 200"))
                #expect(try answer.sha256() == asset.sha256)
            }
            let requests = try await ended(origin)
            #expect(requests.map(\.http) == ["2", "1.1", "1.1"] && requests.map(\.connection) == [1, 2, 3])
            #expect(requests.allSatisfy { $0.bytesSent == ByteCount(20_000_001) && $0.ending == .complete })
        }
    }

    @Test func carriesTheStreamsOfAConnectionAtOnce() async throws {
        try await withOrigin2(rate: TransferRate(parsing: "4MiB") ?? .unlimited) { origin, url, trust in
            let others = (1...9).flatMap { ["-o", "/dev/null", "\(url)/bytes/1MiB?seed=\($0)"] }
            let first = try await Curl.fetch(
                trust + ["--http2", "--parallel", "--parallel-max", "10", url + "/bytes/1MiB"] + others)
            #expect(first.exitStatus == 0 && first.body.count == 1 << 20)
            let requests = try await ended(origin)
            #expect(requests.count == 10 && requests.allSatisfy { $0.http == "2" && $0.ending == .complete })
            #expect(Set(requests.map(\.connection)) == [1], "curl waits for the first connection to share it")
            let isQuiet = try await eventually { origin.statistics().openConnections == 0 }
            let statistics = origin.statistics()
            #expect(isQuiet && statistics.connectionsAccepted == 1 && statistics.mostOpenConnections == 1)
            #expect(statistics.mostConcurrentRequests > 1 && statistics.bytesSent == .mebibytes(10))
        }
    }

    @Test func pacesCutsCompressesAndTakesUploadsAsHTTP11Does() async throws {
        try await withOrigin2 { origin, url, trust in
            let trust = trust + ["--http2"]
            // 92: the stream was not closed cleanly.
            let whole = try await expectServingAsWithoutTLS(origin, url, trust, cut: [92])
            let unframed = try await Curl.fetch(trust + [url + "/bytes/1MiB?encoding=chunked"])
            #expect(unframed.body == whole && !unframed.header.lowercased().contains("transfer-encoding"))
            #expect(try await ended(origin).map(\.ending) == [.cut] + Array(repeating: .complete, count: 6))
        }
    }

    @Test(arguments: [
        FaultCase("status/404", status: 404, bytes: 14), FaultCase("redirect/3", bytes: 1024),
        FaultCase("stall", exit: 28, bytes: 16 * 1024), FaultCase("silent", exit: 28, status: 0, bytes: 0),
        FaultCase("short", exit: 92, bytes: 16 * 1024),
    ])
    func hasTheFaultsThatFramesCanCarry(fault: FaultCase) async throws {
        try await withOrigin2 { _, url, trust in
            let patience = fault.exitStatus == 28 ? ["-m", "2"] : []
            let answer = try await Curl.fetch(trust + ["--http2", "-L"] + patience + [url + "/faults/" + fault.path])
            #expect(answer.exitStatus == fault.exitStatus && answer.status == fault.status)
            #expect(answer.body.count == fault.byteCount)
        }
    }

    @Test(arguments: ["malformed", "escape-header", "tight-header"])
    func refusesWhatExistsInHTTP11Only(path: String) async throws {
        try await withOrigin2 { _, url, trust in
            let answer = try await Curl.fetch(trust + ["--http2", url + "/faults/" + path])
            #expect(answer.exitStatus == 0 && answer.status == 501)
        }
    }

    @Test func holdsABoundedPartOfABodyForAClientThatReadsSlowly() async throws {
        try await withOrigin2 { origin, url, trust in
            let answer = try await Curl.fetch(
                trust + ["--http2", "--limit-rate", "100k", "-m", "2", url + "/bytes/1GiB"])
            #expect(answer.exitStatus == 28)
            let request = try #require(try await ended(origin).first)
            #expect(request.ending == .abandoned && request.bytesSent < .mebibytes(64))
        }
    }
}

/// Starts an origin, writes its authority to a file and lets a test use both.
private func withSecureOrigin(
    rate: TransferRate = .unlimited, isHTTP2: Bool = false,
    _ body: (_ origin: OriginServer, _ url: String, _ authority: String) async throws -> Void
) async throws {
    try await withOrigin(rate: rate, offersTLS: !isHTTP2, offersHTTP2: isHTTP2) { origin in
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("ca-\(UUID().uuidString).pem")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(#require(origin.certificateAuthorityPEM).utf8).write(to: file)
        try await body(origin, #require(isHTTP2 ? origin.http2BaseURL : origin.secureBaseURL), file.path)
    }
}

/// Expects that bodies are cut, paced, compressed and taken as without TLS; returns the whole one.
@discardableResult
private func expectServingAsWithoutTLS(
    _ origin: OriginServer, _ url: String, _ trust: [String], cut statuses: Set<Int>
) async throws -> Data {
    let cut = try await Curl.fetch(trust + [url + "/bytes/1MiB?cut=300KiB"])
    #expect(statuses.contains(cut.exitStatus) && cut.body.count == 300 * 1024)
    let rest = try await Curl.fetch(trust + ["-r", "307200-", url + "/bytes/1MiB?cut=300KiB"])
    let whole = try await Curl.fetch(origin.baseURL + "/bytes/1MiB")
    #expect(cut.body + rest.body == whole.body)
    let paced = try await Curl.fetch(trust + [url + "/bytes/1MiB?rate=4MiB"])
    #expect(paced.seconds >= 0.249 && paced.body == whole.body)
    let text = try await Curl.fetch(trust + ["--compressed", url + "/text/1MiB?encoding=gzip"])
    #expect(text.body.count == 1 << 20)
    let sunk = try await Curl.fetch(trust + ["--data-binary", "abc", url + "/sink"])
    #expect(String(decoding: sunk.body, as: UTF8.self).contains("\"bytes\":3,"))
    return whole.body
}
