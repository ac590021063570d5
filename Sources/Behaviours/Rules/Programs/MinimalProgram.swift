// SPDX-License-Identifier: Apache-2.0

/// A program of one file that shows whether a promise of URLSession is kept, for bug reports.
///
/// Its first argument is the base URL of an origin. It calls the API as a user would, prints one line
/// `expected: …; got: …`, and exits with 0 if the promise is kept and with 1 if not. A promise that is broken by a trap
/// or a hang shows itself.
package struct MinimalProgram: Sendable {
    package let row: String
    /// The source; it ends with a line break.
    package let source: String
    /// True for a program of which the compiler alone is asked, because the API is missing.
    package let isSnippet: Bool
    /// True if its second argument is the base URL of the origin over TLS.
    package var isOverTLS: Bool { BehaviourCatalog.all.contains { $0.name == row && $0.isOverTLS } }

    package init(_ row: String, source: String) {
        self.row = row
        self.source = source
        isSnippet = false
    }

    /// Creates the program of a behaviour, or returns `nil` if it has none.
    package init?(for behaviour: Behaviour) {
        if case .snippet(let snippet) = behaviour.attempt {
            (row, source, isSnippet) = (behaviour.name, snippet.source, true)
        } else {
            guard let program = Self.all.first(where: { $0.row == behaviour.name }) else { return nil }
            self = program
        }
    }

    /// All programs but those of missing APIs, which are the snippets of their behaviours.
    package static let all = [
        slowConsumers, resume, timeouts, requests, delivery, answers, mainThread, lostConnections, sessions, tasks,
        challenges, answerForms, tls,
    ].flatMap(\.self)
}

extension MinimalProgram {
    /// Repeated, cached and cancelled requests.
    static let requests = [
        MinimalProgram(
            "leaves-nothing-data",
            source: #"""
                import Foundation
                import FoundationNetworking
                import Glibc

                let end = DispatchSemaphore(value: 0)
                let url = URL(string: CommandLine.arguments[1] + "/bytes/1KiB")!
                let session = URLSession(configuration: .ephemeral)
                func fetch(_ count: Int) {
                    for _ in 0..<count {
                        session.dataTask(with: url) { _, _, _ in end.signal() }.resume()
                        end.wait()
                    }
                }
                /// The highest resident memory until now, in bytes.
                func peak() -> Int {
                    let status = try! String(contentsOfFile: "/proc/self/status", encoding: .utf8)
                    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }!
                    return Int(line.split(whereSeparator: \.isWhitespace)[1])! << 10
                }

                fetch(500)
                let before = peak()
                fetch(3000)
                let perRequest = (peak() - before) / 3000
                print("expected: the peak grows by less than 64 bytes a request; got: \(perRequest) bytes")
                exit(perRequest < 64 ? 0 : 1)

                """#),
        MinimalProgram(
            "caches",
            source: #"""
                import Foundation
                import FoundationNetworking

                let end = DispatchSemaphore(value: 0)
                let configuration = URLSessionConfiguration.ephemeral
                configuration.urlCache = URLCache(memoryCapacity: 16 << 20, diskCapacity: 0, diskPath: nil)
                configuration.requestCachePolicy = .useProtocolCachePolicy
                let session = URLSession(configuration: configuration)
                // Answered with Cache-Control: max-age=60.
                let path = "/bytes/64KiB?cache=60&seed=\(UInt32.random(in: 1 ... .max))"
                let request = URLRequest(url: URL(string: CommandLine.arguments[1] + path)!)
                for _ in 0..<5 {
                    session.dataTask(with: request) { _, _, _ in end.signal() }.resume()
                    end.wait()
                }
                let isStored = configuration.urlCache?.cachedResponse(for: request) != nil
                print("expected: the response is stored in the session's URLCache; got: \(isStored ? "stored" : "not stored")")
                exit(isStored ? 0 : 1)

                """#),
        MinimalProgram(
            "cancel-async-fast",
            source: #"""
                import Foundation
                import FoundationNetworking

                // A watch outside of the pool of Swift's tasks, as the deadlock holds one of its threads.
                var returned = 0
                Thread.detachNewThread {
                    Thread.sleep(forTimeInterval: 8)
                    print("expected: 1000 calls return after they were cancelled; got: \(returned) in 8 s, and no more")
                    exit(1)
                }
                let session = URLSession(configuration: .ephemeral)
                let url = URL(string: CommandLine.arguments[1] + "/bytes/1MiB")!
                for index in 0..<1000 {
                    let task = Task.detached { try await session.data(from: url) }
                    try await Task.sleep(for: .microseconds(index % 20 * 250))
                    task.cancel()
                    _ = await task.result
                    returned += 1
                }
                print("expected: 1000 calls return after they were cancelled; got: \(returned)")

                """#),
    ]
}
