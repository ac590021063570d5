// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

/// The package with the traits: in a package of your own
/// `.package(url: "https://github.com/…/fetchbench", from: "…")`.
let limits: [Target.Dependency] = [.product(name: "MemProbeTesting", package: "fetchbench")]

let package = Package(
    name: "limits",
    dependencies: [.package(name: "fetchbench", path: "../..")],
    targets: [
        .target(name: "Memory"),
        // Tests within their limits.
        .testTarget(name: "GreenTests", dependencies: limits + ["Memory"]),
        // Figures for `Benchmarks/limit-bars.py`.
        .testTarget(name: "FigureTests", dependencies: limits + ["Memory"]),
        // Tests that fail, one for each reason.
        .testTarget(name: "RedTests", dependencies: limits + ["Memory"]),
    ]
)
