// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

/// The settings of the measured package.
let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .treatAllWarnings(as: .error),
]

let package = Package(
    name: "MemProbeCost",
    dependencies: [.package(name: "fetchbench", path: "../..")],
    targets: [
        // The lower bound of a reading: the same system call from C.
        .target(name: "CReadLoop"),
        .executableTarget(
            name: "MemProbeCost",
            dependencies: ["CReadLoop", .product(name: "MemProbe", package: "fetchbench")],
            swiftSettings: settings),
    ]
)
