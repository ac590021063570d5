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

/// The program in which the modes of a client library are measured.
func trialProgram(_ library: String, of modes: [Target.Dependency]) -> Target {
    .executableTarget(name: "trial-" + library, dependencies: modes + ["Rendering", "Scenarios", "TrialKit"])
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
        .target(name: "CMemProbe"),
        .target(name: "MemProbe", dependencies: ["CMemProbe"]),

        // What runs inside the measured process: nothing else may be linked there.
        .target(name: "CHashing", linkerSettings: [.linkedLibrary(":libcrypto.a")]),
        .target(name: "Hashing", dependencies: ["CHashing"]),
        .target(name: "CTrialKit"),
        .target(name: "TrialKit", dependencies: ["CTrialKit", "Hashing", "MemProbe"]),
        .systemLibrary(
            name: "CTurboJPEG", pkgConfig: "libturbojpeg", providers: [.apt(["libturbojpeg0-dev"])]),
        .systemLibrary(name: "CWebP", pkgConfig: "libwebp", providers: [.apt(["libwebp-dev"])]),
        // libjpeg and libpng leave by longjmp, which must not pass through Swift.
        .target(name: "CImageCodecs", linkerSettings: [.linkedLibrary("jpeg"), .linkedLibrary("png16")]),
        .target(
            name: "Rendering", dependencies: ["CImageCodecs", "CTurboJPEG", "CWebP", "TrialKit"]),
        // How applications load pictures: caches, sharing, limits, as policies that a scenario plays.
        .target(name: "ImageLoading", dependencies: ["Hashing", "Rendering", "TrialKit"]),

        // What applications do with many pictures, and after they were killed, played in the measured process.
        .target(
            name: "Scenarios",
            dependencies: ["Hashing", "ImageLoading", "MemProbe", "Rendering", "TrialKit"]),

        // The ways to fetch that are measured: one target and one program a client library.
        .target(name: "CCurlTrust", linkerSettings: [.linkedLibrary("curl")]),
        .target(
            name: "URLSessionModes", dependencies: ["CCurlTrust", "RawModes", "TrialKit"],
            path: "Sources/Modes/URLSession"),
        // A publisher of download tasks: it knows nothing of this project.
        .target(
            name: "OpenCombineDownload", dependencies: [.product(name: "OpenCombine", package: "OpenCombine")]),
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
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTPCompression", package: "swift-nio-extras"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            path: "Sources/Modes/NIO"),
        .target(
            name: "AsyncHTTPClientModes",
            dependencies: [
                "NIOModes", "TrialKit",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            path: "Sources/Modes/AsyncHTTPClient"),
        .target(name: "CCurl", linkerSettings: [.linkedLibrary("curl")]),
        .target(name: "CurlModes", dependencies: ["CCurl", "TrialKit"], path: "Sources/Modes/Curl"),
        .target(name: "RawModes", dependencies: ["TrialKit"], path: "Sources/Modes/Raw"),
        trialProgram("urlsession", of: ["URLSessionModes"]),
        trialProgram("opencombine", of: ["OpenCombineModes", "URLSessionModes"]),
        trialProgram("nio", of: ["NIOModes"]),
        trialProgram("async-http-client", of: ["AsyncHTTPClientModes"]),
        trialProgram("curl", of: ["CurlModes"]),
        trialProgram("raw", of: ["RawModes"]),

        // What the fetch APIs really do: the calls, in a program of their own, and the rules that judge what came of them.
        .target(name: "ProbeKit"),
        .target(
            name: "Probes",
            dependencies: [
                "CCurl", "MemProbe", "ProbeKit",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "OpenCombine", package: "OpenCombine"),
                .product(name: "OpenCombineFoundation", package: "OpenCombine"),
            ]),
        .executableTarget(
            name: "behaviour-probes", dependencies: ["ProbeKit", "Probes", "TrialKit"]),
        .target(
            name: "Behaviours",
            dependencies: rooms + ["AssetServer", "MemProbe", "ProbeKit", "Support"]),

        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .target(name: "CPNGWriter", linkerSettings: [.linkedLibrary("png16")]),
        .target(name: "CIdentity", linkerSettings: [.linkedLibrary(":libcrypto.a")]),
        // The loopback origin and the assets it serves.
        .target(
            name: "AssetServer",
            dependencies: [
                "CIdentity", "CPNGWriter", "CTurboJPEG", "CWebP", "CZlib", "Hashing", "MemProbe", "Runs",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ]),

        // Pure arithmetic.
        .target(name: "Statistics"),

        // Words and figures as text, without files and processes.
        .target(name: "SupportText", dependencies: ["MemProbe"]),
        // Text, files and child processes, for everything on the harness's side.
        .target(name: "Support", dependencies: ["MemProbe", "SupportText"]),
        // Loaded into a process in front of its allocator, and linked by nothing. Other libraries are linked with Swift's own,
        // which would then be loaded into every command; those of Embedded Swift are not. So little else comes with it.
        .target(
            name: "CAllocationRecorder",
            linkerSettings: [
                .unsafeFlags(["-enable-experimental-feature", "Embedded", "-Xclang-linker", "-static-libgcc"]),
                .linkedLibrary("dl"),
            ]),
        // Who holds the peak: what the recorder wrote, made into rows with names, and drawn for other viewers.
        .target(name: "Holders", dependencies: ["CZlib", "SupportText"]),
        // Limits where tests are: traits that measure a test in processes of its own.
        .target(name: "CMemProbeTesting"),
        .target(
            name: "MemProbeTesting",
            dependencies: ["CMemProbeTesting", "Holders", "MemProbe", "Statistics", "SupportText"]),
        // Pictures as SVG: values in, text out.
        .target(name: "Charts"),
        // Plans and results.
        .target(name: "Runs", dependencies: ["Hashing", "Holders", "MemProbe", "Statistics", "Support", "TrialKit"]),
        // Verdicts and budgets.
        .target(name: "Judging", dependencies: ["MemProbe", "Runs", "Statistics", "Support", "TrialKit"]),
        // Requests, trials and their storage.
        .target(
            name: "Measuring",
            dependencies: [
                "Hashing", "Holders", "Judging", "MemProbe", "Runs", "Statistics", "Support", "TrialKit",
                .product(name: "Yams", package: "Yams"),
            ]),
        // Output formats and pages.
        .target(
            name: "Reports",
            dependencies: [
                "Charts", "Holders", "Judging", "MemProbe", "Runs", "Statistics", "Support", "TrialKit",
                .product(name: "Mustache", package: "swift-mustache"),
            ]),

        // Arguments in, exit status out.
        .target(name: "CFetchBench"),
        .executableTarget(
            name: "fetchbench",
            dependencies: rooms + [
                "AssetServer", "Behaviours", "CFetchBench", "Holders", "MemProbe", "Statistics", "Support", "TrialKit",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]),

        // Fresh processes that the tests spawn and measure: a test process runs other tests at the same time.
        .executableTarget(
            name: "memprobe-fixture", dependencies: ["CMemProbe", "MemProbe"], path: "Tests/MemProbeFixture"),
        .executableTarget(
            name: "render-fixture", dependencies: ["Rendering", "TrialKit"], path: "Tests/RenderFixture"),
        .executableTarget(
            name: "image-cache-fixture", dependencies: ["ImageLoading", "Rendering"],
            path: "Tests/ImageCacheFixture"),
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
                "AssetServer", "Holders", "MemProbe", "Scenarios", "Statistics", "Support", "TrialKit",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ] + ["NIOCore", "NIOEmbedded", "NIOHTTP1", "NIOPosix"].map { .product(name: $0, package: "swift-nio") },
            path: "Tests/Fuzz", exclude: ["Corpus", "Seeds"]),
        .testTarget(name: "FuzzTests", dependencies: ["TestSupport"]),

        .target(name: "CTestSupport", path: "Tests/CTestSupport"),
        .target(name: "TestSupport", dependencies: ["CTestSupport"], path: "Tests/TestSupport"),
        .testTarget(name: "TracingTests", dependencies: ["MemProbe", "TestSupport"]),
        .testTarget(name: "MemProbeTests", dependencies: ["MemProbe", "TestSupport"]),
        .testTarget(
            name: "FetchBenchKitTests",
            dependencies: rooms + ["MemProbe", "Scenarios", "Statistics", "Support", "TestSupport", "TrialKit"],
            exclude: ["Golden"]),
        .testTarget(
            name: "SupportTests", dependencies: ["MemProbe", "Statistics", "Support", "TestSupport"]),
        .testTarget(name: "MemProbeTestingTests", dependencies: ["MemProbe", "MemProbeTesting", "TestSupport"]),
        .testTarget(name: "RecorderTests", dependencies: ["Holders", "Support"]),
        .testTarget(name: "ChartsTests", dependencies: ["Charts", "TestSupport"]),
        .testTarget(
            name: "HTMLReportTests",
            dependencies: rooms + [
                "Charts", "Holders", "MemProbe", "Statistics", "Support", "TestSupport", "TrialKit",
            ],
            exclude: ["browser.py"]),
        .testTarget(
            name: "HoldersTests", dependencies: ["Holders", "Support", "TestSupport"], exclude: ["Schema"]),
        .testTarget(
            name: "StatisticsTests", dependencies: ["Statistics", "TestSupport"],
            exclude: ["reference.json", "reference.py"]),
        .testTarget(
            name: "JudgementTests",
            dependencies: rooms + ["MemProbe", "Statistics", "Support", "TestSupport", "TrialKit"],
            exclude: ["Golden", "Schema"]),
        .testTarget(
            name: "BudgetTests",
            dependencies: rooms + ["MemProbe", "Scenarios", "Statistics", "Support", "TestSupport", "TrialKit"]),
        .testTarget(
            name: "RenderingTests",
            dependencies: ["CTurboJPEG", "MemProbeTesting", "Rendering", "TestSupport", "TrialKit"],
            exclude: ["pictures.py"]),
        .testTarget(
            name: "ImageLoadingTests",
            dependencies: [
                "AssetServer", "CTurboJPEG", "Hashing", "ImageLoading", "MemProbe", "MemProbeTesting", "Rendering",
                "Scenarios", "TestSupport", "TrialKit", "URLSessionModes",
            ]),
        .testTarget(name: "TrialKitTests", dependencies: ["Hashing", "TestSupport", "TrialKit"]),
        .testTarget(
            name: "ScenariosTests", dependencies: ["Hashing", "Scenarios", "TestSupport", "TrialKit"]),
        .testTarget(
            name: "ModesTests",
            dependencies: [
                "AssetServer", "AsyncHTTPClientModes", "CurlModes", "MemProbe", "NIOModes", "OpenCombineDownload",
                "OpenCombineModes", "RawModes", "Rendering", "Runs", "Scenarios", "TestSupport", "TrialKit",
                "URLSessionModes",
                .product(name: "OpenCombine", package: "OpenCombine"),
            ]),
        .testTarget(
            name: "BehavioursTests",
            dependencies: rooms + ["AssetServer", "Behaviours", "MemProbe", "ProbeKit", "Probes", "Support"]),
        .testTarget(
            name: "AssetServerTests",
            dependencies: [
                "AssetServer", "Hashing", "MemProbe", "Runs",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "Subprocess", package: "swift-subprocess"),
            ],
            exclude: ["read-gallery.py"]),
        // Spawns the built binary; depends on no target of this package.
        .testTarget(name: "FetchBenchTests", dependencies: ["TestSupport"], exclude: ["Action", "Protocol"]),
    ]
)

for target in package.targets where target.type != .system { target.swiftSettings = settings }
