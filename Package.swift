// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

/// The settings of every Swift target.
let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .treatAllWarnings(as: .error),
]

/// The modules of the harness, each of which depends only on those before it.
let rooms: [Target.Dependency] = ["Runs", "Judging", "Measuring", "Reports"]

/// The files of `Benchmarks/suites`, whose bytes are part of the command (see `EmbeddedSuites`).
let suites = [
    "async", "cache", "check", "concurrency", "default", "gallery", "http2", "json", "laws", "modes", "peers",
    "repeat", "resume", "slots", "slow-consumer", "small-answers", "sweep", "ten-tasks",
]

/// The programs of bug reports, whose sources are part of `fetchbench-behaviours` (see `MinimalProgram`).
let minimalPrograms = [
    "back-pressure-data", "back-pressure-download", "bare-lf", "body-stream-length", "caches", "caches-ephemeral",
    "cancel-async-fast", "cancel-data-with-cache", "cancel-download-file", "configuration-shown",
    "cookies-kept-max-age", "credential-storage", "custom-protocol-download", "custom-protocol-download-delegate",
    "cut-gzip", "digest-challenge", "disposition", "download-async-delegate", "earliest-begin-date", "header-lines",
    "ipv6-literal", "leaves-nothing-data", "main-run-loop", "metrics", "post-kept-connection", "progress-data-count",
    "proxy-dictionary", "receive-on-main-thread", "redirect-307-body", "redirect-authorization",
    "redirect-cookie-delegate", "request-timeout-granularity", "request-timeout-queued", "request-timeout-zero",
    "resource-timeout", "resume-data", "scheme-upper-case", "server-trust", "sessions-independent", "short-address",
    "short-body-code", "small-chunks", "suspend-resume-data", "suspend-resume-handler", "suspended-timeout",
    "task-delegate", "task-delegate-async", "temporary-file", "tight-header", "unauthorized", "untrusted-code",
    "waiting-first-byte", "websocket",
]

/// The parts that several of those programs begin with.
let sharedByPrograms = ["Shared/asking", "Shared/peak", "Shared/processor-time", "Shared/served"]

/// Products of swift-nio as dependencies.
func nio(_ products: String...) -> [Target.Dependency] { products.map { .product(name: $0, package: "swift-nio") } }
let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let asyncHTTPClient = Target.Dependency.product(name: "AsyncHTTPClient", package: "async-http-client")
let nioHTTP2 = Target.Dependency.product(name: "NIOHTTP2", package: "swift-nio-http2")
let nioSSL = Target.Dependency.product(name: "NIOSSL", package: "swift-nio-ssl")
let openCombine = Target.Dependency.product(name: "OpenCombine", package: "OpenCombine")
let openCombineFoundation = Target.Dependency.product(name: "OpenCombineFoundation", package: "OpenCombine")
let openCombineDispatch = Target.Dependency.product(name: "OpenCombineDispatch", package: "OpenCombine")

/// The trial program of a client library's modes.
func trialProgram(_ library: String, of modes: [Target.Dependency], kind: String = "trial-") -> Target {
    .executableTarget(
        name: kind + library, dependencies: modes + ["Rendering", "Scenarios", "TrialKit"],
        path: "Sources/Programs/" + kind + library)
}

let package = Package(
    name: "fetchbench",
    // Executables are not products, and no product has external dependencies: users of MemProbe would resolve them all.
    products: [
        .library(name: "MemProbe", targets: ["MemProbe"]),
        .library(name: "MemProbeTesting", targets: ["MemProbeTesting"]),
        .library(name: "TrialKit", targets: ["TrialKit"]),
        .library(name: "AllocationRecorder", type: .dynamic, targets: ["CAllocationRecorder"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
        .package(url: "https://github.com/apple/swift-nio-http2", from: "1.46.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
        .package(url: "https://github.com/hummingbird-project/swift-mustache", from: "2.1.1"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
    ],
    targets: [
        // The memory of a process: now and at its peak.
        .target(name: "CMemProbe", path: "Sources/C/CMemProbe"),
        // Glibc or Musl under one name.
        .target(name: "Libc"),
        .target(name: "MemProbe", dependencies: ["CMemProbe", "Libc"]),

        // Linked into the measured process, like the modes below and nothing else.
        .target(name: "CHashing", path: "Sources/C/CHashing", linkerSettings: [.linkedLibrary(":libcrypto.a")]),
        .target(name: "Hashing", dependencies: ["CHashing"]),
        .target(name: "CTrialKit", path: "Sources/C/CTrialKit"),
        .target(name: "TrialKit", dependencies: ["CTrialKit", "Hashing", "MemProbe"]),
        .systemLibrary(
            name: "CTurboJPEG", path: "Sources/C/CTurboJPEG", pkgConfig: "libturbojpeg",
            providers: [.apt(["libturbojpeg0-dev"])]),
        .systemLibrary(
            name: "CWebP", path: "Sources/C/CWebP", pkgConfig: "libwebp", providers: [.apt(["libwebp-dev"])]),
        // libjpeg and libpng leave by longjmp, which must not pass through Swift.
        .target(
            name: "CImageCodecs", path: "Sources/C/CImageCodecs",
            linkerSettings: [.linkedLibrary("jpeg"), .linkedLibrary("png16")]),
        .target(name: "Rendering", dependencies: ["CImageCodecs", "CTurboJPEG", "CWebP", "TrialKit"]),
        // Policies of image loaders for scenarios: caches, sharing, limits.
        .target(name: "ImageLoading", dependencies: ["Hashing", "Rendering", "TrialKit"]),

        // Scenarios: an application with many images, or one that was killed, played as a trial.
        .target(name: "Scenarios", dependencies: ["Hashing", "ImageLoading", "MemProbe", "Rendering", "TrialKit"]),

        // The measured fetch paths: one target and one trial program for each client library.
        .target(name: "CCurlTrust", path: "Sources/C/CCurlTrust", linkerSettings: [.linkedLibrary("curl")]),
        .target(
            name: "URLSessionModes", dependencies: ["CCurlTrust", "RawModes", "TrialKit"],
            path: "Sources/Modes/URLSession"),
        // A publisher of download tasks, independent of this project.
        .target(name: "OpenCombineDownload", dependencies: [openCombine]),
        .target(
            name: "OpenCombineModes",
            dependencies: ["OpenCombineDownload", "TrialKit", "URLSessionModes", openCombine, openCombineFoundation],
            path: "Sources/Modes/OpenCombine"),
        .target(
            name: "NIOModes",
            dependencies: [
                "TrialKit", .product(name: "NIOHTTPCompression", package: "swift-nio-extras"), nioHTTP2, nioSSL,
            ] + nio("NIOCore", "NIOHTTP1", "NIOPosix"),
            path: "Sources/Modes/NIO"),
        .target(
            name: "AsyncHTTPClientModes",
            dependencies: ["NIOModes", "TrialKit", asyncHTTPClient, nioSSL] + nio("NIOCore", "NIOHTTP1"),
            path: "Sources/Modes/AsyncHTTPClient"),
        .target(name: "CCurl", path: "Sources/C/CCurl", linkerSettings: [.linkedLibrary("curl")]),
        .target(name: "CurlModes", dependencies: ["CCurl", "TrialKit"], path: "Sources/Modes/Curl"),
        .target(name: "RawModes", dependencies: ["TrialKit"], path: "Sources/Modes/Raw"),
        trialProgram("urlsession", of: ["URLSessionModes"]),
        trialProgram("opencombine", of: ["OpenCombineModes", "URLSessionModes"]),
        trialProgram("nio", of: ["NIOModes"]),
        trialProgram("async-http-client", of: ["AsyncHTTPClientModes"]),
        trialProgram("curl", of: ["CurlModes"]),
        trialProgram("raw", of: ["RawModes"]),
        // Fetches a foreign URL before anything is measured, to learn what its server sends.
        .executableTarget(
            name: "reference-fetch", dependencies: ["CCurl", "CZlib", "CurlModes", "Hashing", "TrialKit"],
            path: "Sources/Programs/reference-fetch"),
        // Two client libraries in one process, for their costs.
        trialProgram(
            "urlsession-async-http-client", of: ["AsyncHTTPClientModes", "URLSessionModes"], kind: "pair-"),
        trialProgram("urlsession-curl", of: ["CurlModes", "URLSessionModes"], kind: "pair-"),

        // Observed behaviours of the fetch APIs: a program that makes the calls, and rules that judge the outcome.
        .target(name: "ProbeProtocol", path: "Sources/Behaviours/Protocol"),
        .target(
            name: "Probes",
            dependencies: [
                "CCurl", "CCurlTrust", "MemProbe", "OpenCombineDownload", "ProbeProtocol", asyncHTTPClient,
                .product(name: "NIOHTTPCompression", package: "swift-nio-extras"), openCombine, openCombineDispatch,
                openCombineFoundation,
            ] + nio("NIOCore", "NIOHTTP1", "NIOPosix"),
            path: "Sources/Behaviours/Probes"),
        .executableTarget(
            name: "behaviour-probes", dependencies: ["ProbeProtocol", "Probes", "TrialKit"],
            path: "Sources/Programs/behaviour-probes"),
        .target(
            name: "Behaviours",
            dependencies: rooms + ["MemProbe", "OperatingSystem", "Origin", "OriginTLS", "ProbeProtocol", "Texts"],
            path: "Sources/Behaviours/Rules", exclude: ["Programs/.swift-format"],
            resources: (minimalPrograms + sharedByPrograms).map { .embedInCode("Programs/\($0).swift") }),

        .systemLibrary(name: "CZlib", path: "Sources/C/CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .target(
            name: "COriginCertificate", path: "Sources/C/COriginCertificate",
            linkerSettings: [.linkedLibrary(":libcrypto.a")]),
        // The loopback origin and the assets it serves.
        .target(
            name: "Origin",
            dependencies: [
                "CImageCodecs", "CTurboJPEG", "CWebP", "CZlib", "Hashing", "MemProbe", "Runs", "Texts",
            ] + nio("NIOCore", "NIOHTTP1", "NIOPosix")),
        // TLS and HTTP/2 for it, which take longer to compile than all the rest of the origin.
        .target(
            name: "OriginTLS",
            dependencies: ["COriginCertificate", "Origin", "Texts", nioHTTP2, nioSSL] + nio("NIOCore", "NIOHTTP1")),

        // Pure arithmetic.
        .target(name: "Statistics"),

        // Text formats of words and figures.
        .target(name: "Texts", dependencies: ["MemProbe"]),
        // Files, JSON and child processes of the harness.
        .target(name: "OperatingSystem", dependencies: ["CZlib", "MemProbe", "Texts"]),
        // Preloaded in front of a process's allocator. Linked as Embedded Swift, because the usual link adds Swift's
        // own libraries, which would then be loaded into every command.
        .target(
            name: "CAllocationRecorder", path: "Sources/C/CAllocationRecorder",
            linkerSettings: [
                .unsafeFlags(["-enable-experimental-feature", "Embedded", "-Xclang-linker", "-static-libgcc"]),
                .linkedLibrary("dl"),
            ]),
        // Holders of the peak: the recorder's output as rows with names, and in the formats of other viewers.
        .target(name: "Profiles", dependencies: ["CZlib", "MemProbe", "Texts"]),
        // Memory limits for tests: traits that measure a test in fresh processes.
        .target(name: "CMemProbeTesting", path: "Sources/C/CMemProbeTesting"),
        .target(
            name: "MemProbeTesting",
            dependencies: ["CMemProbeTesting", "Libc", "MemProbe", "Profiles", "Statistics", "Texts"]),
        // Charts as SVG.
        .target(name: "Charts", resources: [.embedInCode("chart.css")]),
        // Stored trials: of ten thousand, each is read, checked and asked for its figures.
        .target(name: "Trials", dependencies: ["MemProbe", "OperatingSystem", "Statistics", "Texts", "TrialKit"]),
        // Plans and results.
        .target(
            name: "Runs",
            dependencies: [
                "Hashing", "MemProbe", "OperatingSystem", "Profiles", "Statistics", "Texts", "TrialKit", "Trials",
            ]),
        // Verdicts and budgets.
        .target(
            name: "Judging", dependencies: ["MemProbe", "OperatingSystem", "Runs", "Statistics", "Texts", "TrialKit"]),
        .systemLibrary(
            name: "CYAML", path: "Sources/C/CYAML", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"])]),
        // Requests, and the processes that measure them.
        .target(
            name: "Measuring",
            dependencies: [
                "CYAML", "Hashing", "Judging", "MemProbe", "OperatingSystem", "Profiles", "Runs", "Statistics", "Texts",
                "TrialKit",
            ]),
        // Output formats and pages.
        .target(
            name: "Reports",
            dependencies: [
                "Charts", "Hashing", "Judging", "MemProbe", "Profiles", "Runs", "Statistics", "Texts", "TrialKit",
                .product(name: "Mustache", package: "swift-mustache"),
            ],
            resources: [
                .embedInCode("Page/page.css"), .embedInCode("Page/page.js"), .embedInCode("Page/page.mustache"),
            ]),

        // Shared by the programs with commands: the streams, the exit statuses, signals, the errors of arguments.
        .target(name: "CSignals", path: "Sources/C/CSignals"),
        .target(
            name: "CommandConsole",
            dependencies: [
                "CSignals", "Measuring", "MemProbe", "OperatingSystem", "Origin", "Runs", "Texts", argumentParser,
            ], resources: [.embedInCode("serve.txt")]),
        .executableTarget(
            name: "fetchbench-behaviours",
            dependencies: [
                "Behaviours", "CommandConsole", "Measuring", "OperatingSystem", "Origin", "ProbeProtocol", "Runs",
                "Texts",
                argumentParser,
            ], path: "Sources/Programs/fetchbench-behaviours"),
        .executableTarget(
            name: "fetchbench-origin", dependencies: ["CommandConsole", "OriginTLS", "Runs", argumentParser],
            path: "Sources/Programs/fetchbench-origin"),

        // Arguments in, exit status out.
        .target(name: "Suites", path: "Benchmarks/suites", resources: suites.map { .embedInCode("\($0).yml") }),
        .executableTarget(
            name: "fetchbench",
            dependencies: rooms + [
                "CommandConsole", "MemProbe", "OperatingSystem", "Origin", "Profiles", "Statistics", "Suites",
                "Texts", "TrialKit", argumentParser,
            ],
            resources: [
                .embedInCode("Commands/github.yml"), .embedInCode("Commands/gitlab.yml"),
                .embedInCode("Console/figures.txt"),
            ]),

        // The programs of `make main-programs`: SwiftPM links an executable before it compiles what depends on it.
        .target(
            name: "main-programs", dependencies: ["fetchbench", "reference-fetch", "trial-raw", "trial-urlsession"],
            path: "Sources/Programs/main-programs"),

        // Processes that the tests spawn and measure: a test process runs other tests at the same time.
        .executableTarget(
            name: "memprobe-fixture", dependencies: ["CMemProbe", "MemProbe"], path: "Tests/MemProbeFixture"),
        .executableTarget(
            name: "render-fixture", dependencies: ["Rendering", "TrialKit"], path: "Tests/RenderFixture"),
        .executableTarget(
            name: "image-cache-fixture", dependencies: ["ImageLoading", "Rendering"], path: "Tests/ImageCacheFixture"),
        .executableTarget(name: "allocation-fixture", path: "Tests/AllocationFixture"),
        // Publishers that leak when they are cancelled, or do not.
        .executableTarget(
            name: "publisher-fixture", dependencies: ["OpenCombineModes", "RawModes", "TrialKit", openCombine],
            path: "Tests/PublisherFixture"),
        // An external client that leaks, caches or does neither, built with TrialKit alone.
        .executableTarget(name: "own-client-fixture", dependencies: ["TrialKit"], path: "Tests/OwnClientFixture"),
        // The rate of false alarms where nothing differs: a command for many repetitions, of which the tests run a few.
        .executableTarget(
            name: "null-simulations", dependencies: rooms + ["Statistics", "TrialKit"],
            path: "Benchmarks/NullSimulations"),
        .executableTarget(
            name: "trace-fixture", dependencies: ["CMemProbe", "CTestSupport", "MemProbe"], path: "Tests/TraceFixture"),

        // Mutated documents for all parsers of external input; `make fuzz`.
        .executableTarget(
            name: "fetchbench-fuzz",
            dependencies: rooms + [
                "MemProbe", "OperatingSystem", "Origin", "Profiles", "Scenarios", "Statistics", "Texts", "TrialKit",
                argumentParser,
            ] + nio("NIOCore", "NIOEmbedded", "NIOHTTP1", "NIOPosix"),
            path: "Tests/Fuzz", exclude: ["Corpus", "Seeds", "numbers.dict"]),

        .target(name: "CTestSupport", path: "Tests/CTestSupport"),
        .target(name: "TestSupport", dependencies: ["CTestSupport"], path: "Tests/TestSupport"),
        .testTarget(
            name: "MemProbeTests", dependencies: ["MemProbe", "MemProbeTesting", "TestSupport"], exclude: ["Recordings"]
        ),
        .testTarget(name: "TrialKitTests", dependencies: ["Hashing", "TrialKit"]),
        .testTarget(
            name: "ScenariosTests",
            dependencies: [
                "CTurboJPEG", "Hashing", "ImageLoading", "MemProbe", "MemProbeTesting", "Origin", "Rendering",
                "Scenarios", "TestSupport", "TrialKit", "URLSessionModes",
            ],
            exclude: ["Rendering/pictures.py"]),
        .testTarget(
            name: "ModesTests",
            dependencies: [
                "AsyncHTTPClientModes", "CurlModes", "MemProbe", "NIOModes", "OpenCombineDownload", "OpenCombineModes",
                "Origin", "OriginTLS", "RawModes", "Rendering", "Runs", "Scenarios", "TestSupport", "TrialKit",
                "URLSessionModes",
                openCombine,
            ]),
        .testTarget(
            name: "OperatingSystemTests",
            dependencies: ["MemProbe", "OperatingSystem", "Statistics", "TestSupport", "Texts"]),
        .testTarget(
            name: "ProfilesTests",
            dependencies: ["MemProbe", "OperatingSystem", "Profiles", "Statistics", "TestSupport", "Texts"],
            exclude: ["Schema"]),
        .testTarget(
            name: "JudgingTests",
            dependencies: [
                "Judging", "MemProbe", "Runs", "Scenarios", "Statistics", "TestSupport", "Texts", "TrialKit",
            ],
            exclude: ["Statistics/reference.json", "Statistics/reference.py"]),
        .testTarget(
            name: "MeasuringTests",
            dependencies: [
                "Judging", "Measuring", "MemProbe", "OperatingSystem", "Reports", "Runs", "Scenarios", "Statistics",
                "TestSupport", "Texts", "TrialKit",
            ],
            exclude: ["Golden"]),
        .testTarget(
            name: "ReportsTests",
            dependencies: [
                "Charts", "Judging", "MemProbe", "OperatingSystem", "Profiles", "Reports", "Runs", "TestSupport",
                "Texts", "TrialKit",
            ],
            exclude: ["HTML/browser.py", "HTML/page-faults.js", "Judgement/Golden", "Judgement/Schema"]),
        .testTarget(
            name: "OriginTests",
            dependencies: [
                "Hashing", "MemProbe", "Origin", "OriginTLS", "Runs", "Texts",
            ] + nio("NIOCore", "NIOEmbedded", "NIOHTTP1", "NIOPosix"),
            exclude: ["read-gallery.py"]),
        .testTarget(
            name: "BehavioursTests",
            dependencies: [
                "Behaviours", "Measuring", "MemProbe", "OperatingSystem", "Origin", "ProbeProtocol", "Probes", "Runs",
                "Texts",
            ]),
        // Spawns the built binary; depends on no target of Sources.
        .testTarget(
            name: "FetchBenchTests", dependencies: ["MemProbe", "TestSupport"], exclude: ["Action", "Protocol"]),
    ]
)

for target in package.targets where target.type != .system { target.swiftSettings = settings }
// Measured code is optimized in every build. Tests, and what is neither measured nor hot, compile two to four times as
// fast without optimization; `Benchmarks/big-run.py bar` holds the time that reports take.
let unoptimized = [
    "Behaviours", "Charts", "CommandConsole", "Judging", "Measuring", "Reports", "Suites", "fetchbench",
    "fetchbench-behaviours", "fetchbench-origin",
]
for target in package.targets where target.type == .test || unoptimized.contains(target.name) {
    target.swiftSettings?.append(.unsafeFlags(["-Onone"]))
}

// On a fresh clone, `make main-programs` leaves out the targets and packages that its programs do not depend on: nineteen
// packages belong to other client libraries and to TLS, and resolving them takes 15 s.
if Context.environment["FETCHBENCH_PACKAGES"] == "main" {
    var kept = ["main-programs", "CAllocationRecorder", "MemProbeTesting"]
    var packages: [String] = []
    var next = 0
    while next < kept.count {
        for dependency in package.targets.first(where: { $0.name == kept[next] })?.dependencies ?? [] {
            switch dependency {
            case .productItem(_, let package?, _, _): packages.append(package)
            case .byNameItem(let name, _), .targetItem(let name, _): if !kept.contains(name) { kept.append(name) }
            default: break
            }
        }
        next += 1
    }
    package.targets.removeAll { !kept.contains($0.name) }
    package.dependencies.removeAll { dependency in
        guard case .sourceControl(_, let location, _) = dependency.kind else { return false }
        return !packages.contains { location.hasSuffix("/" + $0) }
    }
}
