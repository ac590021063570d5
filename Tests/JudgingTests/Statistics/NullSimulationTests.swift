// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// `null-simulations` with a few repetitions: whole judgements of sizes in pages, by the code that judges real ones.
@Suite(.ownThreads) struct NullSimulationTests {
    private func simulations(_ arguments: String...) throws -> EndedProcess {
        let tests = URL(fileURLWithPath: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
        return try TestProcess.run(
            tests.deletingLastPathComponent().appending(path: "null-simulations").path, arguments)
    }

    @Test func nothingIsHardlyEverCalledAChangeHoweverMuchIsLookedAt() throws {
        let ended = try simulations("1000")
        #expect(ended.status == 0, "\(ended.text)")
        let rows = ended.text.split(separator: "\n").dropFirst().map { $0.split(separator: ",") }
        #expect(rows.count == 55)
        // The last column: what lay wholly apart and was called the same.
        #expect(rows.allSatisfy { $0.last == "0" }, "\(ended.text)")
    }

    @Test(arguments: ["0", "-1", "many"])
    func aNumberThatIsNoneIsRefused(count: String) throws {
        let ended = try simulations(count)
        #expect(ended.status == 64 && ended.complaint.hasPrefix("usage: ") && ended.output.isEmpty)
    }
}
