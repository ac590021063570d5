// SPDX-License-Identifier: Apache-2.0

extension MinimalProgram {
    /// The main queue and the main run loop of a program with an async main.
    static let mainThread = [
        MinimalProgram(
            "main-run-loop",
            source: #"""
                import Dispatch
                import Foundation
                import FoundationNetworking

                let url = URL(string: CommandLine.arguments[1] + "/bytes/64KiB")!
                let end = DispatchSemaphore(value: 0)
                URLSession.shared.dataTask(with: url) { _, _, _ in
                    RunLoop.main.perform { end.signal() }
                }.resume()
                // The await makes the main of this program async.
                try await Task.sleep(for: .seconds(3))
                let isRun = end.wait(timeout: .now()) == .success
                print("expected: the block ran on the main run loop; got: \(isRun ? "it ran" : "it had not run after 3 s")")
                exit(isRun ? 0 : 1)

                """#),
        MinimalProgram(
            "receive-on-main-thread",
            source: #"""
                import Foundation
                import FoundationNetworking

                let url = URL(string: CommandLine.arguments[1] + "/bytes/64KiB")!
                URLSession.shared.dataTask(with: url) { _, _, _ in
                    DispatchQueue.main.async {
                        let isMain = Thread.isMainThread
                        print("expected: the main queue runs on the main thread; got: \(isMain ? "the main thread" : "another thread")")
                        exit(isMain ? 0 : 1)
                    }
                }.resume()
                // The await makes the main of this program async.
                try await Task.sleep(for: .seconds(10))

                """#),
    ]
}
