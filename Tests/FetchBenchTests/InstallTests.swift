// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

extension EndToEnd {
    /// The tree that `make install` creates works in its place.
    @Suite struct Installing {
        private struct Installed {
            let sandbox: Sandbox
            var prefix: String { sandbox.path + "/stage/opt/own" }
            var link: String { prefix + "/bin/fetchbench" }

            init() async throws {
                sandbox = try Sandbox("install")
                try await tree()
            }

            func tree(_ arguments: String...) async throws {
                let built = URL(fileURLWithPath: BuiltBinary.path).deletingLastPathComponent().path
                let variables = ["DESTDIR": sandbox.path + "/stage", "PREFIX": "/opt/own", "SOURCE_DATE_EPOCH": "0"]
                let script = try sandbox.start(
                    BuiltBinary.package + "/scripts/install-tree", arguments + [built], environment: variables)
                let ended = try await script.end(within: 60)
                #expect(ended.status == 0, "\(ended.complaint)")
            }

            func files() throws -> [String] {
                try FileManager.default.subpathsOfDirectory(atPath: prefix).sorted()
            }

            func shell(_ line: String) async throws -> Ended {
                let path = "\(prefix)/bin:/usr/bin:/bin"
                return try await sandbox.start(BuiltBinary.tool("sh"), ["-c", line], environment: ["PATH": path])
                    .end(within: 90)
            }
        }

        @Test func worksByItsNameAndByItsLinkAndGoesWithoutATrace() async throws {
            let installed = try await Installed()
            let plan = "--asset 64KiB --mode raw --render none"
            let run = try await installed.shell("fetchbench run \(plan) --rate unlimited --trials 1")
            #expect(run.status == 0, "\(run.complaint)")
            #expect(try installed.sandbox.onlyRun().rows(ofMode: "raw").count == 1)
            // Another installation is named by its link, too, and what stands beside the program itself is found.
            let explained = try await installed.shell("fetchbench explain \(plan) --against \(installed.link)")
            #expect(explained.status == 0, "\(explained.complaint)")

            try await installed.tree("--uninstall")
            #expect(try installed.files().filter { $0.contains("fetchbench.") || $0.contains("trial-") } == [])
            #expect(!FileManager.default.fileExists(atPath: installed.link))
        }

        @Test func noFileOfSomebodyElseIsReplacedOrRemoved() async throws {
            let sandbox = try Sandbox("install")
            let (prefix, manager) = (sandbox.path + "/own", FileManager.default)
            try manager.createDirectory(atPath: prefix + "/bin", withIntermediateDirectories: true)
            try Data("theirs".utf8).write(to: URL(fileURLWithPath: prefix + "/bin/fetchbench"))
            let built = URL(fileURLWithPath: BuiltBinary.path).deletingLastPathComponent().path
            for arguments in [[built], ["--uninstall", built]] {
                let ended = try await sandbox.start(
                    BuiltBinary.package + "/scripts/install-tree", arguments, environment: ["PREFIX": prefix]
                ).end(within: 60)
                #expect((ended.status == 0) == (arguments.count == 2), "\(ended.complaint)")
                #expect(manager.contents(atPath: prefix + "/bin/fetchbench") == Data("theirs".utf8))
            }
        }

        @Test func theManPageIsWellFormedAndHasEveryCommandAndFlag() async throws {
            let sandbox = try Sandbox("man")
            let line = """
                "$BINARY" --experimental-dump-help | SOURCE_DATE_EPOCH=0 "$PACKAGE"/scripts/make-man-page 9.9 >page
                mandoc -T lint -W warning page && groff -man -ww -T utf8 page 2>complaints >/dev/null && cat complaints
                mandoc -T utf8 page | col -b
                """
            let environment = ["BINARY": BuiltBinary.path, "PACKAGE": BuiltBinary.package]
            let ended = try await sandbox.start(BuiltBinary.tool("sh"), ["-c", line], environment: environment)
                .end(within: 30)
            #expect(ended.status == 0 && !ended.output.contains("warning"), "\(ended.output.prefix(2000))")
            #expect(ended.output.contains("1970-01-01") && ended.output.contains("fetchbench 9.9"))
            let help = try await sandbox.fetchbench("run", "--help").output
            let flags = Set(help.matches(of: /--[a-z][a-z-]+/).map { String($0.output) })
            #expect(flags.count > 25)
            for flag in flags { #expect(ended.output.contains(flag), "\(flag)") }
            for command in ["answer", "behaviours", "check", "init"] {
                #expect(ended.output.contains("fetchbench \(command)"), "\(command)")
            }
            for hidden in ["--ballast", "fetchbench trace", "fetchbench parse"] {
                #expect(!ended.output.contains(hidden), "\(hidden)")
            }
        }
    }
}

extension Conduct {
    /// The dependencies of this package's libraries, as seen from another package.
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
