// SPDX-License-Identifier: Apache-2.0

import Foundation
import Judging
import Runs
import Testing

/// Which baseline a check takes, before anything is measured.
struct BaselineChoiceTests {
    @Test func oneThatIsNamedHasToBeThere() {
        #expect(throws: FetchBenchError.self) {
            try BaselineChoice(named: "/nowhere/b.json", isReplaced: false, hasBudgets: true)
        }
    }

    @Test func replacedFilesNeedNotExist() throws {
        let choice = try BaselineChoice(named: "/nowhere/b.json", isReplaced: true, hasBudgets: false)
        #expect(choice.baseline == nil && choice.warnings.isEmpty && choice.path == "/nowhere/b.json")
    }

    @Test func aBrokenOneIsNamedUnlessItIsReplaced() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "fetchbench-choice-\(UUID())")
        try Data("{}".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let error = #expect(throws: FetchBenchError.self) {
            try BaselineChoice(named: file.path, isReplaced: false, hasBudgets: true)
        }
        #expect(error?.message.contains(file.path) == true)
        let choice = try BaselineChoice(named: file.path, isReplaced: true, hasBudgets: true)
        #expect(choice.baseline == nil && choice.warnings.count == 1)
    }

    @Test func aBaselineThatWasNotAskedForIsNotMissed() {
        #expect(BaselineChoice.none.baseline == nil && BaselineChoice.none.warnings.isEmpty)
    }
}
