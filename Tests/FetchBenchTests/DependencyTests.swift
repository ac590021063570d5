// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

extension Conduct {
    /// What comes with the libraries of this package, as somebody else's package sees it.
    @Suite struct Dependencies {
        private struct Resolved: Decodable {
            var name: String
            var dependencies: [Resolved]
        }

        @Test func theLibrariesBringNoOtherPackage() async throws {
            let sandbox = try Sandbox("outside")
            let root = URL(fileURLWithPath: BuiltBinary.package).resolvingSymlinksInPath()
            let products = ["MemProbe", "MemProbeTesting", "TrialKit"].map {
                ".product(name: \"\($0)\", package: \"\(root.lastPathComponent)\")"
            }
            let manifest = """
                // swift-tools-version: 6.2
                import PackageDescription
                let package = Package(
                    name: "outside", dependencies: [.package(path: "\(root.path)")],
                    targets: [.target(name: "Outside", dependencies: [\(products.joined(separator: ", "))])])
                """
            try sandbox.write(manifest, to: "Package.swift")
            let sources = sandbox.work + "/Sources/Outside"
            try FileManager.default.createDirectory(atPath: sources, withIntermediateDirectories: true)
            try sandbox.write("", to: "Sources/Outside/Outside.swift")
            let ended = try await sandbox.tool("swift", "package", "show-dependencies", "--format", "json", within: 120)
            #expect(ended.status == 0, "\(ended.complaint)")
            let json = ended.output.drop { $0 != "{" }
            let resolved = try JSONDecoder().decode(Resolved.self, from: Data(json.utf8))
            #expect(resolved.dependencies.count == 1)
            #expect(resolved.dependencies.first?.dependencies.map(\.name) == [], "\(ended.output)")
        }
    }
}
