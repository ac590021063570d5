// SPDX-License-Identifier: Apache-2.0

import Measuring
import MemProbe
import Runs
import Testing
import TrialKit

struct TrialAddressTests {
    private static let bytes = Asset(name: "1MiB", location: "/bytes/1MiB?seed=7", isEmbedded: true)
    private static let foreign = Asset(name: "url", location: "http://host/REDACTED", isEmbedded: false)

    private static let inputs: TrialInputs = {
        var inputs = TrialInputs(
            programs: TrialPrograms(executables: []), url: "http://user:secret@host/path", in: .fake("/t"))
        inputs.place.originURL = "http://127.0.0.1:1"
        inputs.place.secureOrigin = SecureOrigin(
            url: "https://127.0.0.1:2", http2URL: "https://127.0.0.1:3", certificateAuthorityPath: "/t/ca.pem")
        return inputs
    }()

    private func address(_ asset: Asset?, _ change: (inout FetchConditions) -> Void = { _ in }) -> TrialAddress {
        TrialAddress(conditions: .unusual(change), asset: asset, inputs: Self.inputs)
    }

    @Test func anEmbeddedAssetIsAPathOfTheOrigin() {
        #expect(address(Self.bytes).url == "http://127.0.0.1:1/bytes/1MiB?seed=7")
        #expect(address(.hero).url == "http://127.0.0.1:1/hero.jpg")
        #expect(address(Self.bytes).warmupURL == "http://127.0.0.1:1/text/1KiB?rate=unlimited")
    }

    @Test func theWarmUpIsSentLikeTheAsset() {
        let chunked = address(Self.bytes) { $0.transfer = .chunked }
        #expect(chunked.url == "http://127.0.0.1:1/bytes/1MiB?seed=7&encoding=chunked")
        #expect(chunked.warmupURL == "http://127.0.0.1:1/text/1KiB?rate=unlimited&encoding=chunked")
        #expect(address(.hero) { $0.transfer = .gzip }.url == "http://127.0.0.1:1/hero.jpg?encoding=gzip")
    }

    @Test func overTLSItIsTheSecureOriginWithItsAuthority() {
        let secure = address(Self.bytes) { $0.scheme = .https }
        #expect(secure.url == "https://127.0.0.1:2/bytes/1MiB?seed=7")
        #expect(secure.warmupURL == "https://127.0.0.1:2/text/1KiB?rate=unlimited")
        #expect(secure.certificateAuthorityPath == "/t/ca.pem")
        let http2 = address(Self.bytes) {
            $0.scheme = .https
            $0.http = .http2
        }
        #expect(http2.url == "https://127.0.0.1:3/bytes/1MiB?seed=7")
        #expect(http2.warmupURL.hasPrefix("https://127.0.0.1:3/") && http2.certificateAuthorityPath == "/t/ca.pem")
        #expect(address(Self.bytes).certificateAuthorityPath == nil)
    }

    @Test func aForeignAssetIsFetchedWithItsCredentials() {
        #expect(address(Self.foreign).url == "http://user:secret@host/path")
        #expect(address(Self.foreign).warmupURL == "http://127.0.0.1:1/text/1KiB?rate=unlimited")
    }

    @Test func theNullCaseHasTheWarmUpsAddress() {
        #expect(address(nil).url == address(nil).warmupURL)
    }

    @Test func theAuthorityIsNamedToEveryClientAndToNoTrialWithoutTLS() {
        let variables = TrialVariables(environment: ["SSL_CERT_FILE": "/mine"], fixed: [:])
        let secure = variables.environment(for: .glibc, directory: "/t", authority: "/t/ca.pem")
        for name in ["SSL_CERT_FILE", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE"] {
            #expect(secure[name] == "/t/ca.pem")
        }
        let plain = variables.environment(for: .glibc, directory: "/t")
        #expect(plain["SSL_CERT_FILE"] == "/mine")
        #expect(plain["CURL_CA_BUNDLE"] == nil)
    }

    @Test func aCommandIsToldTheAuthorityWhereItAsksForIt() throws {
        let command = ExternalCommand(name: "wget", command: "wget --ca-certificate={ca} -O {file} {url}")
        #expect(
            try command.words(url: "https://a/{file}", file: "/t/{ca}", authority: "/ca")
                == ["wget", "--ca-certificate=/ca", "-O", "/t/{ca}", "https://a/{file}"])
        #expect(try command.words(url: "u", file: "f")[1] == "--ca-certificate=")
    }

    @Test func onlyUnusualConditionsNeedTheSecondVersionOfTheProtocol() {
        var request = TrialRequest(
            mode: "data", render: "none", warmupURL: "w", url: "u", warmsTarget: false, directory: "/t",
            verification: .sha256, idleTimeoutSeconds: 5, rendering: RenderSettings(), seed: 1)
        request.ask(for: .standard, maximumConnections: nil)
        #expect(request.version == 1)
        #expect(request.conditions == nil)
        request.ask(for: .unusual { $0.concurrency = 2 }, maximumConnections: nil)
        #expect(request.version == 2)
        #expect(request.conditions?.concurrency == 2)
        request.ask(for: .unusual { $0.start = .cold }, maximumConnections: nil)
        #expect(request.version == 3, "an older program would warm up, and say nothing")
    }

    @Test func bodiesOfSeveralFetchesAreJoinedUnlessOneDiffers() throws {
        let good = try BodyReading.synthetic(byteCount: .mebibytes(1), sha256: "aa", pageCache: .mebibytes(1))
        let bad = try BodyReading.synthetic(byteCount: .mebibytes(1), sha256: "bb")
        let joined = try #require(try BodyReading(joining: [good, good, good]))
        #expect(joined.byteCount == .mebibytes(1))
        #expect(joined.pageCache == .mebibytes(3))
        #expect(joined.verificationCPUNanoseconds == 3 * good.verificationCPUNanoseconds)
        for order in [[bad, good, good], [good, bad, good], [good, good, bad]] {
            #expect(throws: FetchFailure.self) { try BodyReading(joining: order) }
        }
        #expect(try BodyReading(joining: []) == nil)
    }
}
