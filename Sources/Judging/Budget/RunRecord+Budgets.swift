// SPDX-License-Identifier: Apache-2.0

package import Runs

extension RunRecord {
    /// Parses the budgets stored with the run.
    /// - Throws: ``FetchBenchError/malformedRun(name:reason:)`` if one is invalid.
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
