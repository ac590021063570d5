// SPDX-License-Identifier: Apache-2.0

import MemProbe
import Runs
import Texts

/// The embedded origin as a separate process, alive during a run.
package enum OriginProcess {
    private static func words(of ending: Ending) -> String {
        switch ending {
        case .exited(let status): "ended with status \(status)"
        case .signalled(let signal): "was ended by signal \(signal) (\(SignalName.text(of: Int32(signal))))"
        case .notStarted(let reason): "could not be started (\(reason))"
        case .killedAtLimit, .killedOverMemory, .wroteTooMuch: "ended"
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
        let origin = ChildLaunch(
            executable: executable, arguments: arguments, environment: environment, limit: nil)
        do {
            return try await origin.serve(lineCount: lineCount, patience: patience) { lines in
                let addresses = lines.map { $0.filter { !$0.isWhitespace } }
                guard addresses.count == lineCount, addresses.allSatisfy({ $0.hasPrefix("http") }) else {
                    throw FetchBenchError.originDidNotStart
                }
                return try await body(addresses)
            }
        } catch let ended as ServerEnded {
            throw FetchBenchError.originEnded(reason: Self.words(of: ended.ending))
        }
    }
}
