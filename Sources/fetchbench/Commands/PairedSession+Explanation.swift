// SPDX-License-Identifier: Apache-2.0

import Judging
import Measuring
import OperatingSystem
import Runs

extension PairedSession {
    /// Adds to each regression who holds more, and stores that beside the verdict; the verdict stands without it, so
    /// errors are only warnings.
    func explain(_ judgement: inout Judgement, isQuiet: Bool) async throws {
        let names = Set(judgement.findings.filter(\.isExplainable).map(\.cell))
        let cells = cells.filter { names.contains($0.identifier) }
        guard !cells.isEmpty else { return }
        let display = ProgressDisplay(.here(isShown: !isQuiet), "preparing to explain")
        defer { display.finish() }
        do {
            let record = try await Interrupt.whileListening {
                try await explained(cells) { display.began("explaining", $0, $1, of: $2) }
            }
            display.finish()
            try RunStore.write(record, to: session.folder)
            judgement.explain(by: record)
            for entry in record.entries {
                guard let obstacle = entry.obstacle, let side = entry.side else { continue }
                Console.warn("\(side.rawValue), \(entry.cell) cannot be explained: \(obstacle)")
            }
        } catch is CancellationError {
            Console.warn("interrupted: the verdict is complete, but regressions are not explained")
        } catch {
            Console.warn("regressions are not explained: \(Explanation.text(of: error))")
        }
    }
}
