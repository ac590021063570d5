// SPDX-License-Identifier: Apache-2.0

import Judging
import Measuring
import OperatingSystem
import Runs

/// Explains the regressions of a comparison, and stores the explanation beside the verdict.
struct RegressionExplanation {
    private let session: PairedSession
    private let isQuiet: Bool

    init(_ session: PairedSession, isQuiet: Bool) {
        self.session = session
        self.isQuiet = isQuiet
    }

    /// Adds to each regression who holds more; the verdict stands without it, so errors are only warnings.
    func explain(_ judgement: inout Judgement) async throws {
        let names = Set(judgement.findings.filter(\.isExplainable).map(\.cell))
        let cells = session.cells.filter { names.contains($0.identifier) }
        guard !cells.isEmpty else { return }
        let display = ProgressDisplay(.here(isShown: !isQuiet), "preparing to explain")
        defer { display.finish() }
        do {
            let record = try await Interrupt.whileListening { [session] in
                try await session.explained(cells) { cell, position, count in
                    display.began(
                        ProgressBoard.Item(cell.identifier, group: "explaining", position: position, of: count))
                }
            }
            display.finish()
            try RunStore.write(record, to: session.session.folder)
            judgement.explain(by: record)
            for entry in record.entries {
                guard let obstacle = entry.obstacle, let side = entry.side else { continue }
                Console.warn("\(side.rawValue), \(entry.cell) cannot be explained: \(obstacle)")
            }
        } catch is CancellationError {
            Console.warn("interrupted: the verdict stands, what regressed is not explained")
        } catch {
            Console.warn("what regressed is not explained: \(Explanation.text(of: error))")
        }
    }
}
