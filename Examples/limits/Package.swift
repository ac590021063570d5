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
        // What keeps its limits.
        .testTarget(name: "GreenTests", dependencies: limits + ["Memory"]),
        // Figures for `Benchmarks/limit-bars.py`.
        .testTarget(name: "FigureTests", dependencies: limits + ["Memory"]),
        // What does not, in every way in which a test can be red.
        .testTarget(name: "RedTests", dependencies: limits + ["Memory"]),
    ]
)
