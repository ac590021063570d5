// SPDX-License-Identifier: Apache-2.0

import OperatingSystem
import Runs

/// The embedded origin as a process of its own, alive for the time of a run.
package enum OriginProcess {
    /// How long the origin may take to leave when it is not needed any more.
    private static let patience = Duration.seconds(10)

    /// Starts the origin, waits for its address, does `body`, and ends the origin whatever happens.
    ///
    /// - Parameters:
    ///   - executable: the path of the program.
    ///   - arguments: what makes it serve until its standard input ends and print its address as its first line.
    ///   - lineCount: how many addresses it prints, each on a line of its own.
    ///   - body: gets the addresses, `http://127.0.0.1:PORT` the first of them.
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
