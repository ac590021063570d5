// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

extension EndToEnd {
    @Suite struct Suites {
        /// The files that the binary was made of, by the name of each suite.
        private static func files() throws -> [String: String] {
            let folder = BuiltBinary.package + "/Benchmarks/suites"
            let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".yml") }
            return try Dictionary(
                uniqueKeysWithValues: names.map { name in
                    let text = try String(contentsOfFile: folder + "/" + name, encoding: .utf8)
                    return (String(name.dropLast(4)), text)
                })
        }

        private func place(_ suites: [String: String], in sandbox: Sandbox) throws {
            try FileManager.default.createDirectory(
                atPath: sandbox.work + "/Benchmarks/suites", withIntermediateDirectories: true)
            for (name, text) in suites { try sandbox.write(text, to: "Benchmarks/suites/\(name).yml") }
        }

        private func listed(_ sandbox: Sandbox) async throws -> [String] {
            let ended = try await sandbox.fetchbench("list", "suites", status: 0)
            #expect(ended.output.hasPrefix("suites:\n"))
            return ended.output.split(separator: "\n").dropFirst().map(String.init)
        }

        @Test func anEmptyFolderKnowsEverySuite() async throws {
            let sandbox = try Sandbox("anywhere")
            let files = try Self.files()
            let lines = try await listed(sandbox)
            #expect(lines.map { $0.split(separator: " ")[0] } == files.keys.sorted().map { $0[...] })
            for line in lines {
                let name = try #require(line.split(separator: " ").first)
                let description = try #require(
                    files[String(name)]?.split(separator: "\n").first { $0.hasPrefix("description: ") })
                #expect(line.hasSuffix(description.dropFirst("description: ".count)))
            }
        }

        @Test func aNameMeasuresAnywhereWhatItsFileMeasures() async throws {
            let sandbox = try Sandbox("named")
            let path = BuiltBinary.package + "/Benchmarks/suites/slow-consumer.yml"
            for (output, suite) in [("name", "slow-consumer"), ("file", path)] {
                try await sandbox.fetchbench(
                    "plan", "--suite", suite, "--asset", "4KiB", "--output", output, status: 0)
            }
            #expect(try sandbox.text(of: "name") == sandbox.text(of: "file"))
            #expect(try sandbox.text(of: "name").contains("4KiB"))
        }

        @Test func theSuitesOfAFolderAreListedWhereTheyAreOthers() async throws {
            let sandbox = try Sandbox("folder")
            let files = try Self.files()
            try place(files, in: sandbox)
            #expect(try await listed(sandbox).count == files.count, "the same suite is listed once")
            let changed = (files["default"] ?? "").replacing("trials: 10", with: "trials: 11")
            try place(
                ["good": "name: a\ndescription: what it asks\n", "bad": "nmae: a\n", "default": changed], in: sandbox)
            let others = try await listed(sandbox).dropFirst(files.count).map(\.self)
            #expect(others.count == 3)
            #expect(others[0].contains("Benchmarks/suites/bad.yml") && others[0].contains("'name'?"))
            #expect(others[1].contains("Benchmarks/suites/default.yml"))
            #expect(others[1].hasSuffix("(differs from default)"))
            #expect(others[2].contains("Benchmarks/suites/good.yml") && others[2].contains("what it asks"))
        }

        @Test func itIsSaidWhichOfTwoSuitesIsMeasured() async throws {
            let sandbox = try Sandbox("two")
            let text = "name: mine\nassets: [4KiB]\nmodes: [raw]\nrenders: [none]\ntrials: 1\n"
            try place(["check": text], in: sandbox)
            let words = ["--asset", "8KiB", "--mode", "data", "--trials", "1"]
            let path = "Benchmarks/suites/check.yml"
            for (suite, title) in [("check", "# check"), (path, "# mine")] {
                let output = String(title.dropFirst(2))
                let ended = try await sandbox.fetchbench(
                    ["run", "--suite", suite, "--output", output] + words, status: 0)
                let isTold = ended.complaint.contains("the built-in suite check; \(path) differs")
                #expect(isTold == (suite == "check"), "\(ended.complaint)")
                #expect(try sandbox.onlyRun(in: output).text(of: "report.md").hasPrefix(title))
            }
        }
    }

    /// `check` with budgets alone: they hold on every machine and need no baseline.
    @Suite struct BudgetChecks {
        @Test func exceededBudgetIsRedAndNamesWhatWasMeasured() async throws {
            let sandbox = try Sandbox("exceeded")
            let budget = "64KiB/hold/*: peak <= 16 * size + 4 MiB"
            let suite = SmallSuite(budgets: ["peak <= 20 MiB", budget])
            let (ended, judgement) = try await sandbox.check(suite, "--no-baseline")
            #expect(ended.status == 1)
            #expect(ended.output.contains("Red: 1 over budget, 1 within budget"))
            let finding = try #require(judgement?.findings.first { $0.verdict == "over_budget" })
            #expect(judgement?.answer == "red")
            #expect(finding.budget == budget && finding.case == SmallSuite.cell)
            #expect(finding.limit == 5_242_880.0)
            let measured = try #require(finding.head)
            #expect(measured > 8 * 1_048_576)
            let line = try #require(ended.unwrapped.split(separator: "\n").first { $0.hasPrefix("over budget: ") })
            #expect(line.contains("hold · 64KiB · none · glibc"))
            #expect(line.contains("limit 5.0 MiB") && line.contains("16 * size + 4 MiB"))
            let figure = try #require(line.firstMatch(of: /peak ([0-9.]+) MiB/)?.1)
            #expect(abs((Double(figure) ?? 0) - measured / 1_048_576) <= 0.051)
            #expect(line.contains(/trial \d+ is the worst of 4/))
        }
    }
}
