// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

/// The settings of every Swift target: one language, one set of rules.
let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .treatAllWarnings(as: .error),
]

/// The rooms of the harness, each of which depends only on those before it.
let rooms: [Target.Dependency] = ["Runs", "Judging", "Measuring", "Reports"]

/// What is used of swift-nio.
func nio(_ products: String...) -> [Target.Dependency] { products.map { .product(name: $0, package: "swift-nio") } }

/// The program in which the modes of a client library are measured.
func trialProgram(_ library: String, of modes: [Target.Dependency]) -> Target {
    .executableTarget(
        name: "trial-" + library, dependencies: modes + ["Rendering", "Scenarios", "TrialKit"],
        path: "Sources/Programs/trial-" + library)
}

let package = Package(
    name: "fetchbench",
    // Executables are built without being products, and no product has a dependency outside of this package: a package
    // that uses MemProbe would resolve all of theirs.
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
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
        .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
        .package(url: "https://github.com/hummingbird-project/swift-mustache", from: "2.1.1"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2"),
    ],
    targets: [
        // What this process's memory looks like now, and what its peak was.
        .target(name: "CMemProbe", path: "Sources/C/CMemProbe"),
        .target(name: "MemProbe", dependencies: ["CMemProbe"]),

        // What runs inside the measured process: nothing else may be linked there.
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
        // How applications load pictures: caches, sharing, limits, as policies that a scenario plays.
        .target(name: "ImageLoading", dependencies: ["Hashing", "Rendering", "TrialKit"]),

        // What applications do with many pictures, and after they were killed, played in the measured process.
        .target(name: "Scenarios", dependencies: ["Hashing", "ImageLoading", "MemProbe", "Rendering", "TrialKit"]),

        // The ways to fetch that are measured: one target and one program a client library.
        .target(name: "CCurlTrust", path: "Sources/C/CCurlTrust", linkerSettings: [.linkedLibrary("curl")]),
        .target(
            name: "URLSessionModes", dependencies: ["CCurlTrust", "RawModes", "TrialKit"],
            path: "Sources/Modes/URLSession"),
        // A publisher of download tasks: it knows nothing of this project.
        .target(name: "OpenCombineDownload", dependencies: [.product(name: "OpenCombine", package: "OpenCombine")]),
        .target(
            name: "OpenCombineModes",
            dependencies: [
                "OpenCombineDownload", "TrialKit", "URLSessionModes",
                .product(name: "OpenCombine", package: "OpenCombine"),
                .product(name: "OpenCombineFoundation", package: "OpenCombine"),
            ],
            path: "Sources/Modes/OpenCombine"),
        .target(
            name: "NIOModes",
            dependencies: [
                "TrialKit",
                .product(name: "NIOHTTPCompression", package: "swift-nio-extras"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ] + nio("NIOCore", "NIOHTTP1", "NIOPosix"),
            path: "Sources/Modes/NIO"),
        .target(
            name: "AsyncHTTPClientModes",
            dependencies: [
                "NIOModes", "TrialKit",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ] + nio("NIOCore", "NIOHTTP1"),
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

        // What the fetch APIs really do: the calls, in a program of their own, and the rules that judge what came of them.
        .target(name: "ProbeProtocol", path: "Sources/Behaviours/Protocol"),
        .target(
            name: "Probes",
            dependencies: [
                "CCurl", "MemProbe", "ProbeProtocol",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "OpenCombine", package: "OpenCombine"),
                .product(name: "OpenCombineFoundation", package: "OpenCombine"),
            ],
            path: "Sources/Behaviours/Probes"),
        .executableTarget(
            name: "behaviour-probes", dependencies: ["ProbeProtocol", "Probes", "TrialKit"],
            path: "Sources/Programs/behaviour-probes"),
        .target(
            name: "Behaviours",
            dependencies: rooms + ["MemProbe", "OperatingSystem", "Origin", "ProbeProtocol", "Texts"],
            path: "Sources/Behaviours/Rules"),

        .systemLibrary(name: "CZlib", path: "Sources/C/CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .target(
            name: "COriginCertificate", path: "Sources/C/COriginCertificate",
            linkerSettings: [.linkedLibrary(":libcrypto.a")]),
        // The loopback origin and the assets it serves.
        .target(
            name: "Origin",
            dependencies: [
                "CImageCodecs", "COriginCertificate", "CTurboJPEG", "CWebP", "CZlib", "Hashing", "MemProbe", "Runs",
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ] + nio("NIOCore", "NIOHTTP1", "NIOPosix")),

        // Pure arithmetic.
        .target(name: "Statistics"),

        // Words and figures as text, without files and processes.
        .target(name: "Texts", dependencies: ["MemProbe"]),
        // Files, JSON and child processes, for everything on the harness's side.
        .target(name: "OperatingSystem", dependencies: ["MemProbe", "Texts"]),
        // Loaded into a process in front of its allocator, and linked by nothing. Other libraries are linked with Swift's own,
        // which would then be loaded into every command; those of Embedded Swift are not. So little else comes with it.
        .target(
            name: "CAllocationRecorder", path: "Sources/C/CAllocationRecorder",
            linkerSettings: [
                .unsafeFlags(["-enable-experimental-feature", "Embedded", "-Xclang-linker", "-static-libgcc"]),
                .linkedLibrary("dl"),
            ]),
        // Who holds the peak: what the recorder wrote, made into rows with names, and drawn for other viewers.
        .target(name: "Profiles", dependencies: ["CZlib", "Texts"]),
        // Limits where tests are: traits that measure a test in processes of its own.
        .target(name: "CMemProbeTesting", path: "Sources/C/CMemProbeTesting"),
        .target(
            name: "MemProbeTesting", dependencies: ["CMemProbeTesting", "MemProbe", "Profiles", "Statistics", "Texts"]),
        // Pictures as SVG: values in, text out.
        .target(name: "Charts"),
        // Plans and results.
        .target(
            name: "Runs",
            dependencies: ["Hashing", "MemProbe", "OperatingSystem", "Profiles", "Statistics", "Texts", "TrialKit"]),
        // Verdicts and budgets.
        .target(
            name: "Judging", dependencies: ["MemProbe", "OperatingSystem", "Runs", "Statistics", "Texts", "TrialKit"]),
        // Requests, and the processes that answer them.
        .target(
            name: "Measuring",
            dependencies: [
                "Hashing", "Judging", "MemProbe", "OperatingSystem", "Profiles", "Runs", "Statistics", "Texts",
                "TrialKit",
                .product(name: "Yams", package: "Yams"),
            ]),
        // Output formats and pages.
        .target(
            name: "Reports",
            dependencies: [
                "Charts", "Judging", "MemProbe", "OperatingSystem", "Profiles", "Runs", "Statistics", "Texts",
                "TrialKit",
                .product(name: "Mustache", package: "swift-mustache"),
            ]),

        // Arguments in, exit status out.
        .target(name: "CSignals", path: "Sources/C/CSignals"),
        .executableTarget(
            name: "fetchbench",
            dependencies: rooms + [
                "Behaviours", "CSignals", "MemProbe", "OperatingSystem", "Origin", "Profiles", "Statistics", "Texts",
                "TrialKit",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]),

        // Fresh processes that the tests spawn and measure: a test process runs other tests at the same time.
        .executableTarget(
            name: "memprobe-fixture", dependencies: ["CMemProbe", "MemProbe"], path: "Tests/MemProbeFixture"),
        .executableTarget(
            name: "render-fixture", dependencies: ["Rendering", "TrialKit"], path: "Tests/RenderFixture"),
        .executableTarget(
            name: "image-cache-fixture", dependencies: ["ImageLoading", "Rendering"], path: "Tests/ImageCacheFixture"),
        .executableTarget(name: "allocation-fixture", path: "Tests/AllocationFixture"),
        // A client of somebody else's that leaks, caches or does neither, measured with TrialKit alone.
        .executableTarget(name: "own-client-fixture", dependencies: ["TrialKit"], path: "Tests/OwnClientFixture"),
        // How often verdicts err where nothing differs: a command for many repetitions, of which the tests try a few.
        .executableTarget(
            name: "null-simulations", dependencies: rooms + ["Statistics", "TrialKit"],
            path: "Benchmarks/NullSimulations"),
        .executableTarget(
            name: "trace-fixture", dependencies: ["CMemProbe", "CTestSupport", "MemProbe"], path: "Tests/TraceFixture"),

        // Mutated documents for everything that reads what others wrote; `make fuzz`.
        .executableTarget(
            name: "fetchbench-fuzz",
            dependencies: rooms + [
                "MemProbe", "OperatingSystem", "Origin", "Profiles", "Scenarios", "Statistics", "Texts", "TrialKit",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ] + nio("NIOCore", "NIOEmbedded", "NIOHTTP1", "NIOPosix"),
            path: "Tests/Fuzz", exclude: ["Corpus", "Seeds"]),

        .target(name: "CTestSupport", path: "Tests/CTestSupport"),
        .target(name: "TestSupport", dependencies: ["CTestSupport"], path: "Tests/TestSupport"),
        .testTarget(name: "MemProbeTests", dependencies: ["MemProbe", "MemProbeTesting", "TestSupport"]),
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
                "Origin", "RawModes", "Rendering", "Runs", "Scenarios", "TestSupport", "TrialKit", "URLSessionModes",
                .product(name: "OpenCombine", package: "OpenCombine"),
            ]),
        .testTarget(
            name: "OperatingSystemTests",
            dependencies: ["MemProbe", "OperatingSystem", "Statistics", "TestSupport", "Texts"]),
        .testTarget(
            name: "ProfilesTests", dependencies: ["OperatingSystem", "Profiles", "TestSupport"], exclude: ["Schema"]),
        .testTarget(
            name: "JudgingTests",
            dependencies: ["Judging", "MemProbe", "Runs", "Scenarios", "Statistics", "TestSupport", "TrialKit"],
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
            exclude: ["HTML/browser.py", "Judgement/Golden", "Judgement/Schema"]),
        .testTarget(
            name: "OriginTests",
            dependencies: [
                "Hashing", "MemProbe", "Origin", "Runs",
                .product(name: "Subprocess", package: "swift-subprocess"),
            ] + nio("NIOCore", "NIOEmbedded", "NIOHTTP1", "NIOPosix"),
            exclude: ["read-gallery.py"]),
        .testTarget(
            name: "BehavioursTests",
            dependencies: [
                "Behaviours", "Measuring", "MemProbe", "OperatingSystem", "Origin", "ProbeProtocol", "Probes", "Runs",
            ]),
        // Spawns the built binary; depends on no target of Sources.
        .testTarget(name: "FetchBenchTests", dependencies: ["TestSupport"], exclude: ["Action", "Protocol"]),
    ]
)

for target in package.targets where target.type != .system { target.swiftSettings = settings }
