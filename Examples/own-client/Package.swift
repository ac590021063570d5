// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

/// Somebody's own HTTP client, and the trial program that measures it.
let package = Package(
    name: "own-client",
    products: [
        .library(name: "TinyHTTP", targets: ["TinyHTTP"])
    ],
    dependencies: [
        // In a package of your own: .package(url: "https://…/fetchbench", from: "…")
        .package(name: "fetchbench", path: "../..")
    ],
    targets: [
        // The client: it knows nothing of fetchbench.
        .target(name: "TinyHTTP"),
        // The trial program: a mode for each of the client's ways to fetch.
        .executableTarget(
            name: "own-client-trials",
            dependencies: ["TinyHTTP", .product(name: "TrialKit", package: "fetchbench")]),
    ],
    swiftLanguageModes: [.v6]
)
