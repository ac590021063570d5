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

let package = Package(
    name: "fetchbench",
    products: [
        .library(name: "MemProbe", targets: ["MemProbe"]),
        .executable(name: "fetchbench", targets: ["fetchbench"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-asn1", from: "1.7.4"),
        .package(url: "https://github.com/apple/swift-certificates", from: "1.21.1"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
        .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
        .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2"),
    ],
    targets: [
        // What this process's memory looks like now, and what its peak was.
        .target(name: "CMemProbe"),
        .target(name: "MemProbe", dependencies: ["CMemProbe"], swiftSettings: settings),

        // What is done with the bytes after the fetch.
        .systemLibrary(
            name: "CTurboJPEG", pkgConfig: "libturbojpeg", providers: [.apt(["libturbojpeg0-dev"])]),
        .target(name: "Rendering", dependencies: ["CTurboJPEG", "FetchBenchKit"], swiftSettings: settings),

        // The ways to fetch that are measured.
        .target(name: "CCurl", linkerSettings: [.linkedLibrary("curl")]),
        .target(
            name: "FetchModes",
            dependencies: [
                "CCurl", "FetchBenchKit",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTPCompression", package: "swift-nio-extras"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "OpenCombine", package: "OpenCombine"),
                .product(name: "OpenCombineFoundation", package: "OpenCombine"),
            ],
            swiftSettings: settings),

        // What the fetch APIs really do, tried in processes of their own.
        .target(
            name: "Behaviours",
            dependencies: [
                "AssetServer", "CCurl", "FetchBenchKit", "MemProbe",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "OpenCombine", package: "OpenCombine"),
                .product(name: "OpenCombineFoundation", package: "OpenCombine"),
                .product(name: "Subprocess", package: "swift-subprocess"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: settings),

        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        // The loopback origin and the assets it serves.
        .target(
            name: "AssetServer",
            dependencies: [
                "CTurboJPEG", "CZlib", "MemProbe",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
                .product(name: "X509", package: "swift-certificates"),
            ],
            swiftSettings: settings),

        // Runs trials, keeps them, compares them.
        .target(
            name: "FetchBenchKit",
            dependencies: [
                "MemProbe",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Subprocess", package: "swift-subprocess"),
                .product(name: "SystemPackage", package: "swift-system"),
                .product(name: "Yams", package: "Yams"),
            ],
            swiftSettings: settings),

        // Arguments in, exit status out.
        .target(name: "CFetchBench", linkerSettings: [.linkedLibrary("curl")]),
        .executableTarget(
            name: "fetchbench",
            dependencies: [
                "AssetServer", "Behaviours", "CFetchBench", "FetchBenchKit", "FetchModes", "MemProbe", "Rendering",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: settings),

        // Fresh processes that the tests spawn and measure: a test process runs other tests at the same time.
        .executableTarget(
            name: "memprobe-fixture", dependencies: ["CMemProbe", "MemProbe"], path: "Tests/MemProbeFixture",
            swiftSettings: settings),
        .executableTarget(
            name: "render-fixture", dependencies: ["FetchBenchKit", "Rendering"], path: "Tests/RenderFixture",
            swiftSettings: settings),

        .executableTarget(
            name: "trace-fixture", dependencies: ["CMemProbe", "MemProbe"], path: "Tests/TraceFixture",
            swiftSettings: settings),

        .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: settings),
        .testTarget(name: "TracingTests", dependencies: ["MemProbe", "TestSupport"], swiftSettings: settings),
        .testTarget(name: "MemProbeTests", dependencies: ["MemProbe", "TestSupport"], swiftSettings: settings),
        .testTarget(
            name: "FetchBenchKitTests", dependencies: ["FetchBenchKit", "MemProbe"], exclude: ["Golden"],
            swiftSettings: settings),
        .testTarget(
            name: "StatisticsTests", dependencies: ["FetchBenchKit"], exclude: ["reference.json", "reference.py"],
            swiftSettings: settings),
        .testTarget(
            name: "JudgementTests", dependencies: ["FetchBenchKit", "MemProbe"], exclude: ["Golden", "Schema"],
            swiftSettings: settings),
        .testTarget(name: "BudgetTests", dependencies: ["FetchBenchKit", "MemProbe"], swiftSettings: settings),
        .testTarget(
            name: "RenderingTests", dependencies: ["CTurboJPEG", "FetchBenchKit", "Rendering", "TestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "FetchModesTests",
            dependencies: [
                "FetchBenchKit", "FetchModes", .product(name: "OpenCombine", package: "OpenCombine"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "BehavioursTests", dependencies: ["AssetServer", "Behaviours", "FetchBenchKit", "MemProbe"],
            swiftSettings: settings),
        .testTarget(
            name: "AssetServerTests",
            dependencies: [
                "AssetServer", "MemProbe",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "Subprocess", package: "swift-subprocess"),
            ],
            swiftSettings: settings),
        // Spawns the built binary; depends on no target of this package.
        .testTarget(name: "FetchBenchTests", swiftSettings: settings),
    ]
)
