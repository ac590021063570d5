// SPDX-License-Identifier: Apache-2.0

import Foundation
import Measuring
import Runs
import Testing

struct TrialAddressTests {
    private static let bytes = Asset(name: "1MiB", location: "/bytes/1MiB?seed=7", isEmbedded: true)
    private static let foreign = Asset(name: "url", location: "http://host/REDACTED", isEmbedded: false)

    private static let inputs: TrialInputs = {
        var inputs = TrialInputs(
            programs: TrialPrograms(executables: []), url: "http://user:secret@host/path", in: .fake("/t"))
        inputs.place.originURL = "http://127.0.0.1:1"
        inputs.place.secureOrigin = .init(
            url: "https://127.0.0.1:2", http2URL: "https://127.0.0.1:3", certificateAuthorityPath: "/t/ca.pem")
        return inputs
    }()

    private func address(_ asset: Asset?, _ change: (inout FetchConditions) -> Void = { _ in }) -> TrialInputs.Address {
        TrialInputs.Address(conditions: .unusual(change), asset: asset, inputs: Self.inputs)
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

/// The one spelling of a URL in which every client gets it.
struct TargetURLTests {
    static let same = [
        "http://127.0.0.1:8080/a%2Fb", "http://host/%C3%BC", "http://host/%c3%bc", "https://host/a?b=c%20d&e=/?",
        "http://host/a;b=1,2/c(d)!$&'*+,;=:@", "http://host/%E2%82%AC%25", "http://[::1]:99/x", "http://u:p@host/x",
        "http://u%40x:p%3Aq@host/x", "http://host/a//b/", "http://host/~user/-._~", "http://host:1/",
        "http://host:65535/",
        "http://xn--bcher-kva.example/x", "http://host/?", "http://host/a?b?c",
    ]

    static let changed = [
        ("http://host", "http://host/"), ("http://host?x=1", "http://host/?x=1"), ("http://host#top", "http://host/"),
        ("HTTP://Host/Path", "http://host/Path"), ("http://host:80/x", "http://host/x"),
        ("https://host:443/x", "https://host/x"),
        ("https://host:80/x", "https://host:80/x"), ("http://host:/x", "http://host/x"),
        ("http://host:0080/x", "http://host/x"),
        ("http://host/\u{FC}%2Fx", "http://host/%C3%BC%2Fx"),
        ("http://host/\u{20AC}?q=\u{E9}", "http://host/%E2%82%AC?q=%C3%A9"),
        ("http://host/a b", "http://host/a%20b"), ("http://host/a?b c", "http://host/a?b%20c"),
        ("http://host/a[1]{x}|\"<>^`", "http://host/a%5B1%5D%7Bx%7D%7C%22%3C%3E%5E%60"),
        ("http://host/a/../b", "http://host/b"), ("http://host/a/./b", "http://host/a/b"),
        ("http://host/../../b", "http://host/b"),
        ("http://host/a/..", "http://host/"), ("http://host/a/.", "http://host/a/"),
        ("http://host/x#y?z", "http://host/x"),
        ("http://\u{FC}ser:p\u{E4}ss@host/", "http://%C3%BCser:p%C3%A4ss@host/"),
        ("http://b\u{FC}cher.example/x", "http://xn--bcher-kva.example/x"),
        ("http://[2001:DB8::1]/", "http://[2001:db8::1]/"), ("http://u@x:p@host/", "http://u%40x:p@host/"),
    ]

    static let refused = [
        ("htp://x", "htp"), ("ftp://host/x", "ftp"), ("/path", "scheme"), ("http:///path", "the host is missing"),
        ("http://host:99999/", "99999"),
        ("http://host:0/", "'0'"), ("http://host:-1/", "-1"), ("http://host:x/", "'x'"), ("http://host/100%", "%25"),
        ("http://host/%zz", "%25"), ("http://host/a\\b", "backslash"), ("http://host/a\nb", "control"),
        ("http://127.1/", "127.1"), ("http://0x7f.0.0.1/", "0x7f"), ("http://1.2.3.256/", "256"),
        ("http://[::1/", "[::1"),
        ("http://[fe80::1%25eth0]/", "fe80"), ("http://[::g]/", "[::g]"), ("http://ho st/", "ho st"),
        ("http://host/%2e%2e/x", "%2e%2e"),
        ("http://a%62c/", "a%62c"), ("http://::1/", "::1"),
    ]

    @Test(arguments: same) func aURLInItsSpellingStaysAsItIs(url: String) throws {
        #expect(try TargetURL.canonical(url) == url)
    }

    @Test(arguments: changed) func anotherSpellingIsMadeIt(text: String, url: String) throws {
        let canonical = try TargetURL.canonical(text)
        #expect(canonical == url)
        #expect(try TargetURL.canonical(canonical) == canonical)
    }

    @Test(arguments: refused) func ambiguousURLsAreRefusedByTheirPart(text: String, part: String) {
        let mistake = #expect(throws: FetchBenchError.self) { try TargetURL.canonical(text) }
        #expect(mistake?.description.contains(part) == true, "\(mistake?.description ?? "")")
    }

    @Test(arguments: ["http://user:hunter2@host:99999/", "http://user:hunter2@ho st/", "htp://user:hunter2@host/"])
    func noMessageHoldsACredential(text: String) {
        let mistake = #expect(throws: FetchBenchError.self) { try TargetURL.canonical(text) }
        #expect(mistake?.description.contains("hunter2") == false)
    }

    @Test func addressesOfIPv6AreTold() {
        #expect(TargetURL.isIPv6("http://[::1]/") && TargetURL.isIPv6("https://u:p@[::1]:8/"))
        #expect(!TargetURL.isIPv6("http://host/[") && !TargetURL.isIPv6("http://host/@["))
    }
}

struct AllocatorArmTests {
    @Test(arguments: [
        (AllocatorArm.glibc, [:]),
        (.glibcPinned, ["MALLOC_MMAP_THRESHOLD_": "131072"]),
        (.jemalloc, ["LD_PRELOAD": "libjemalloc.so.2"]),
        (.jemallocTight, ["LD_PRELOAD": "libjemalloc.so.2", "MALLOC_CONF": "narenas:1,dirty_decay_ms:0"]), (.own, [:]),
    ])
    func eachArmSetsItsOwnVariablesAlone(arm: AllocatorArm, variables: [String: String]) {
        #expect(arm.environment == variables)
    }

    @Test func anAllocatorHasToNameItself() {
        let named = ["glibc", "jemalloc", "go"].map { name in AllocatorArm.allCases.filter { $0.isNamed(name) } }
        #expect(named == [[.glibc, .glibcPinned], [.jemalloc, .jemallocTight], [.own]])
    }

    @Test func theWordsOfTheCommandLineAreThoseOfTheColumns() {
        #expect(
            AllocatorArm.allCases.map(\.rawValue) == ["glibc", "glibc-pinned", "jemalloc", "jemalloc-tight", "own"])
        #expect(AllocatorArm.allCases.allSatisfy { !$0.summary.isEmpty })
    }
}

struct WorldBuilderTests {
    private static let user = [
        "HOME": "/home/somebody", "PATH": "/bin", "LD_PRELOAD": "libevil.so", "MALLOC_CONF": "prof:true",
        "MALLOC_ARENA_MAX": "1", "GLIBC_TUNABLES": "glibc.malloc.arena_max=1", "LANG": "de_DE.UTF-8",
        "SWIFT_BACKTRACE": "enable=yes", "TMPDIR": "/somewhere/else", "AWS_SECRET_ACCESS_KEY": "hunter2",
        "http_proxy": "http://proxy:3128",
    ]

    @Test(arguments: AllocatorArm.allCases)
    func noVariableOfTheUsersShellReachesATrial(allocator: AllocatorArm) {
        let variables = TrialVariables(environment: Self.user, fixed: ["JSIMD_FORCENONE": "0"])
        var expected = allocator.environment
        expected["JSIMD_FORCENONE"] = "0"
        for name in ["TMPDIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"] {
            expected[name] = "/trials/t000001"
        }
        expected["LC_ALL"] = "C"
        expected["SWIFT_BACKTRACE"] = "enable=no"
        #expect(variables.environment(for: allocator, directory: "/trials/t000001") == expected)
    }

    /// The embedded origin is asked without a proxy, for the warm-ups of foreign URLs, too.
    @Test(arguments: [("", "127.0.0.1,localhost"), ("a.test,.b", "a.test,.b,127.0.0.1,localhost"), ("*", nil)])
    func theUsersProxiesReachWhatMayAskOthers(exempt: String, expected: String?) {
        let user = Self.user.merging(["HTTPS_PROXY": "http://p:1", "all_proxy": "", "NO_PROXY": exempt]) { $1 }
        let variables = TrialVariables(environment: user, fixed: [:])
        let without = variables.environment(for: .glibc, directory: "/t")
        let more = variables.environment(for: .glibc, directory: "/t", reachesOut: true)
            .filter { without[$0.key] == nil }
        let proxies = ["http_proxy": "http://proxy:3128", "HTTPS_PROXY": "http://p:1"]
        #expect(more == (expected.map { proxies.merging(["no_proxy": $0, "NO_PROXY": $0]) { $1 } } ?? [:]))
        let alone = TrialVariables(environment: ["no_proxy": "a"], fixed: [:])
        #expect(alone.environment(for: .glibc, directory: "/t", reachesOut: true)["no_proxy"] == nil)
    }

    @Test func aCommandKeepsItsFilesWhereItAlwaysDoes() {
        let environment = TrialVariables(environment: Self.user, fixed: [:])
            .environment(for: .glibc, directory: "/t", isCommand: true)
        #expect(environment == ["PATH": "/bin", "TMPDIR": "/t", "LC_ALL": "C", "SWIFT_BACKTRACE": "enable=no"])
    }

    @Test func theSizeDoesNotDependOnTheUsersEnvironment() {
        let small = TrialVariables(environment: [:], fixed: [:])
        let large = TrialVariables(
            environment: Self.user.merging(["LS_COLORS": String(repeating: "x", count: 32 * 1024)]) { $1 }, fixed: [:])
        for allocator in AllocatorArm.allCases {
            #expect(
                small.environment(for: allocator, directory: "/t") == large.environment(for: allocator, directory: "/t")
            )
        }
    }

    @Test func placesOfLibrariesAndCertificatesAreKept() {
        let named = Dictionary(uniqueKeysWithValues: TrialVariables.inheritedNames.map { ($0, "/opt/\($0)") })
        let environment = TrialVariables(environment: named, fixed: [:]).environment(for: .glibc, directory: "/t")
        #expect(environment.filter { named.keys.contains($0.key) } == named)
        #expect(environment.count == named.count + 6)
    }

    @Test func theAllocatorsOwnVariablesWinOverFixedOnes() {
        let variables = TrialVariables(environment: [:], fixed: ["LD_PRELOAD": "other.so"])
        #expect(variables.environment(for: .jemalloc, directory: "/t")["LD_PRELOAD"] == "libjemalloc.so.2")
    }

    @Test func theAllocatorThatWasPackedIsNamedByItsPath() throws {
        let folder = FileManager.default.temporaryDirectory.path + "/packed-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        func preloaded(_ folder: String, _ allocator: AllocatorArm) -> String? {
            TrialVariables(environment: [:], fixed: [:], libraryFolder: folder)
                .environment(for: allocator, directory: "/t")["LD_PRELOAD"]
        }
        #expect(preloaded(folder, .jemalloc) == "libjemalloc.so.2", "where there is none, the system's")
        try Data().write(to: URL(fileURLWithPath: folder + "/libjemalloc.so.2"))
        #expect(preloaded(folder, .jemallocTight) == folder + "/libjemalloc.so.2")
        #expect(preloaded(folder, .glibc) == nil)
        // A path that LD_PRELOAD would take apart.
        try FileManager.default.createDirectory(atPath: folder + "/a b", withIntermediateDirectories: true)
        try Data().write(to: URL(fileURLWithPath: folder + "/a b/libjemalloc.so.2"))
        #expect(preloaded(folder + "/a b", .jemalloc) == "libjemalloc.so.2")
    }
}

struct TrialFolderTests {
    @Test func everyTrialHasAPathOfTheSameLength() async throws {
        try await withTemporaryFolder { parent in
            var paths: [String] = []
            for number in [1, 42, 999_999] {
                paths.append(
                    try await TrialFolder.with("t", number, in: parent) { path in
                        #expect(FileManager.default.fileExists(atPath: path))
                        return path
                    })
            }
            #expect(Set(paths).count == 3 && Set(paths.map(\.utf8.count)).count == 1)
            #expect(try FileManager.default.contentsOfDirectory(atPath: parent).isEmpty)
        }
    }

    @Test func itIsGoneAfterAFailureWithAllThatIsInIt() async throws {
        try await withTemporaryFolder { parent in
            await #expect(throws: CocoaError.self) {
                try await TrialFolder.with("t", 1, in: parent) { path in
                    try Data("x".utf8).write(to: URL(fileURLWithPath: path + "/body"))
                    _ = try Data(contentsOf: URL(fileURLWithPath: path + "/missing"))
                }
            }
            let left = try FileManager.default.contentsOfDirectory(atPath: parent)
            #expect(left.isEmpty)
        }
    }
}
