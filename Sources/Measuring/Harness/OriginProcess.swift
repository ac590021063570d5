// SPDX-License-Identifier: Apache-2.0

import OperatingSystem
import Runs

/// The embedded origin as a separate process, alive during a run.
package enum OriginProcess {
    /// The time that the origin may take to exit.
    private static let patience = Duration.seconds(10)

    /// Starts the origin, waits for its addresses, runs `body` with them and ends the origin.
    ///
    /// - Parameters:
    ///   - arguments: have to make it serve until its standard input ends, and print its addresses as its first lines.
    ///   - body: gets the addresses, of which the first is `http://127.0.0.1:PORT`.
    package static func withOrigin<Result: Sendable>(
        executable: String, arguments: [String], environment: [String: String], lineCount: Int = 1,
        _ body: @escaping @Sendable (_ baseURLs: [String]) async throws -> Result
    ) async throws -> Result {
        let origin = ChildProcess(
            executable: executable, arguments: arguments, environment: environment, limit: nil)
        return try await origin.serving(lineCount: lineCount, patience: patience) { lines in
            let addresses = lines.map { $0.filter { !$0.isWhitespace } }
            guard addresses.count == lineCount, addresses.allSatisfy({ $0.hasPrefix("http") }) else {
                throw FetchBenchError.originDidNotStart
            }
            return try await body(addresses)
        }
    }
}
