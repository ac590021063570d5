// SPDX-License-Identifier: Apache-2.0

import MemProbe
import OperatingSystem
import Runs
import Texts

/// The embedded origin as a separate process, alive during a run.
package enum OriginProcess {
    private static func words(of status: ChildEnd.Status) -> String {
        switch status {
        case .exited(let status): "ended with status \(status)"
        case .killed(let signal): "was ended by signal \(signal) (\(SignalName.text(of: signal)))"
        case .notStarted(let error): "could not be started (\(error))"
        case .timedOut, .wroteTooMuch, .cancelled: "ended"
        }
    }

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
        do {
            return try await origin.serving(lineCount: lineCount, patience: patience) { lines in
                let addresses = lines.map { $0.filter { !$0.isWhitespace } }
                guard addresses.count == lineCount, addresses.allSatisfy({ $0.hasPrefix("http") }) else {
                    throw FetchBenchError.originDidNotStart
                }
                return try await body(addresses)
            }
        } catch let ended as ServerEnded {
            throw FetchBenchError.originEnded(reason: Self.words(of: ended.status))
        }
    }
}
