// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials
import Glibc
import Synchronization

/// A server on 127.0.0.1 that responds to every request with the same asset, fetched anew each time.
///
/// It is the same for all modes, so that only their fetching differs: one thread that waits for sockets, and a task per
/// connection. The variant `server` of the scenario shows its own cost.
package final class RelayServer: Sendable {
    private struct State {
        var url: URL?
        var failure: FetchFailure?
        var connections = 0
    }

    package let port: Int
    private let relay: any Relay
    private let directory: String
    private let answered: @Sendable () -> Void
    private let listener: ServerSocket
    private let readiness: Readiness
    private let state = Mutex(State())

    /// Starts to listen.
    /// - Parameters:
    ///   - directory: The folder for modes that fetch to files.
    ///   - answered: Called for each body that was relayed completely.
    package init(
        _ relay: any Relay, in directory: String, answered: @escaping @Sendable () -> Void
    ) throws(FetchFailure) {
        self.relay = relay
        self.directory = directory
        self.answered = answered
        listener = try ServerSocket.listening()
        port = try listener.port()
        readiness = try Readiness(capacity: 4 * ProxyScenario.readerCount)
        Task { await self.accept() }
    }

    /// The failure of the first body that was not relayed, or `nil`.
    package var failure: FetchFailure? { state.withLock(\.failure) }

    package func serve(_ url: URL) {
        state.withLock { $0.url = url }
    }

    /// Ends every wait, and with it every task.
    package func close() {
        readiness.close()
    }

    private func accept() async {
        while await readiness.wait(until: listener.descriptor, is: .readable) {
            while let client = listener.accepted() {
                let number = state.withLock { state in
                    state.connections += 1
                    return state.connections
                }
                Task { await self.answer(ReaderConnection(client, self.readiness), number) }
            }
        }
    }

    /// Responds to requests until the reader or a failure ends the connection.
    private func answer(_ connection: ReaderConnection, _ number: Int) async {
        do throws(FetchFailure) {
            while let request = try await connection.nextRequest() {
                guard let url = state.withLock(\.url) else { return }
                try await relay.relay(
                    FetchRequest(url: url, destination: "\(directory)/relayed-\(number).body"), to: connection)
                answered()
                if request.closes || connection.closesAfterBody { return }
            }
        } catch {
            state.withLock { $0.failure = $0.failure ?? error }
        }
    }
}
