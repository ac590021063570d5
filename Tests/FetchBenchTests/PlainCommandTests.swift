// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

extension EndToEnd {
    /// A command that fetches nothing can do what a mode can: every verb takes it.
    @Suite struct PlainCommands {
        /// A file whose lines `sort` holds in memory, and words that only a fetch has.
        private func sandbox() throws -> Sandbox {
            let sandbox = try Sandbox("plain")
            var number: UInt64 = 1
            let lines = (0..<150_000).map { _ in
                number = number &* 6_364_136_223_846_793_005 &+ 1
                return String(number)
            }
            try sandbox.write(lines.joined(separator: "\n") + "\n", to: "big.txt")
            return sandbox
        }

        private func expectNoFetch(_ ended: Ended, _ verb: String) {
            for word in ["hero", "fetch path", "phase", "{file}", "--asset", "--rate", "copies"] {
                #expect(!(ended.output + ended.complaint).contains(word), "\(verb): \(word): \(ended.output)")
            }
        }

        @Test func aSuiteHoldsThemToBudgetsAndTheirParametersAreADimension() async throws {
            let sandbox = try sandbox()
            let suite = """
                name: sorts
                exec: ['sort=sort -S {size} big.txt', 'true=true']
                parameters: ['size=1M,20M']
                trials: 2
                budgets: ['true: peak <= 2 MiB', 'sort/glibc/size=1M: peak <= 6 MiB', 'sort: peak <= 6 MiB']
                """
            try sandbox.write(suite, to: "sorts.yml")
            let checked = try await sandbox.fetchbench("check", "--suite", "sorts.yml", "--no-baseline", status: 1)
            expectNoFetch(checked, "check")
            let over = checked.output.split(separator: "\n").filter { $0.hasPrefix("over budget  ") }
            #expect(over.count == 1 && over[0].contains("sort/glibc/size=20M"), "\(checked.output)")
            let rows = try sandbox.onlyRun().rows(ofMode: "sort")
            #expect(Set(rows.compactMap { $0["parameters"] }) == ["size=1M", "size=20M"])
        }

        @Test func itStandsBesideModes() async throws {
            let sandbox = try sandbox()
            _ = try await sandbox.rows(["--mode", "raw", "--exec", "x=sort big.txt", "--asset", "64KiB"])
            let run = try sandbox.onlyRun()
            #expect(try run.rows(ofMode: "raw").count == 1 && run.rows(ofMode: "x").map { $0["asset"] } == ["none"])
            #expect(try run.record().warnings.isEmpty, "nothing is missed of what it was never to fetch")
        }
    }
}
