// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
package import Runs
import Synchronization

package enum OriginProcess {
    private static func words(of ending: Ending) -> String {
        switch ending {
        case .exited(let status): "ended with status \(status)"
        case .signalled(let signal): "was ended by signal \(signal) (\(signalName(Int32(signal))))"
        case .notStarted(let reason): "could not be started (\(reason))"
        case .killedAtLimit, .killedOverMemory, .wroteTooMuch: "ended"
        }
    }

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
                    throw FetchBenchError(
                        "the embedded origin did not start; `fetchbench serve` shows why", kind: .temporary)
                }
                return try await body(addresses)
            }
        } catch let ended as ChildLaunch.ServerEnded {
            throw FetchBenchError(
                "the embedded origin \(Self.words(of: ended.ending)) during the run; its output is above",
                remedy: "Stored trials are kept", kind: .temporary)
        }
    }

    /// The embedded origin's notes of what it sends, read as they grow.
    ///
    /// Nothing is removed from the file: what the origin writes between a reading and a removal would be lost.
    package final class SentNotes: Sendable {
        private static let pieceLength = 1 << 16

        private let descriptor: Int32
        private let offset = Mutex(off_t(0))

        /// Opens the file, `nil` if it is not there, and removes its name, as a trial could write to it.
        package init?(path: String) {
            descriptor = open(path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { return nil }
            unlink(path)
        }

        deinit { close(descriptor) }

        /// Returns the notes since the last call, in the order of time; a line that is not complete is left to the next.
        package func taken() -> [SentBytes] {
            offset.withLock { offset in
                var data = Data()
                var piece = [UInt8](repeating: 0, count: Self.pieceLength)
                while true {
                    let count = pread(descriptor, &piece, piece.count, offset + off_t(data.count))
                    guard count > 0 else { break }
                    data.append(contentsOf: piece[..<count])
                }
                let whole = data.lastIndex(of: UInt8(ascii: "\n")).map { data[...$0] } ?? Data()
                offset += off_t(whole.count)
                return SentBytes.all(in: whole)
            }
        }
    }
}
