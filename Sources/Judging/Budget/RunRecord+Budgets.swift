// SPDX-License-Identifier: Apache-2.0

package import Runs

extension RunRecord {
    /// The budgets that a check judges by.
    /// - Throws: ``FetchBenchError/malformedRun(name:reason:)`` where a stored one is none.
    package func parsedBudgets() throws(FetchBenchError) -> [Budget] {
        var parsed: [Budget] = []
        let metrics = metrics
        for text in budgets ?? [] {
            do throws(BudgetError) {
                parsed.append(try Budget(parsing: text, of: metrics))
            } catch {
                throw .malformedRun(name: identifier, reason: "\(error)")
            }
        }
        return parsed
    }
}
