// SPDX-License-Identifier: Apache-2.0

import Foundation
import MemProbe
import Subprocess
import Support
import SystemPackage

/// The embedded origin as a process of its own, alive for the time of a run.
package enum OriginProcess {
    /// Starts the origin, waits for its address, does `body`, and ends the origin whatever happens.
    ///
    /// The origin holds the other end of a pipe to this process: when this process dies, however it dies, the
    /// origin sees the end of the pipe and leaves.
    /// - Parameters:
    ///   - executable: the path of the program.
    ///   - arguments: what makes it serve until its standard input ends and print its address as its first line.
    ///   - lineCount: how many addresses it prints, each on a line of its own.
    ///   - body: gets the addresses, `http://127.0.0.1:PORT` the first of them.
    package static func withOrigin<Result: Sendable>(
        executable: String, arguments: [String], environment: [String: String], lineCount: Int = 1,
        _ body: @escaping @Sendable (_ baseURLs: [String]) async throws -> Result
    ) async throws -> Result {
        var options = PlatformOptions()
        options.processGroupID = 0
        options.teardownSequence = [.send(signal: .kill, allowedDurationToNextStep: .zero)]
        let ended = try await Subprocess.run(
            .path(FilePath(executable)), arguments: Arguments(arguments), environment: .sorted(environment),
            platformOptions: options, input: .inputWriter, output: .sequence, error: .currentStandardError
        ) { execution in
            var lines = execution.standardOutput.strings().makeAsyncIterator()
            var addresses: [String] = []
            while addresses.count < lineCount, let line = try await lines.next() {
                addresses.append(line.filter { !$0.isWhitespace })
            }
            guard addresses.count == lineCount, addresses.allSatisfy({ $0.hasPrefix("http") }) else {
                throw FetchBenchError.originDidNotStart
            }
            do {
                let result = try await body(addresses)
                try await execution.standardInputWriter.finish()
                try? execution.send(signal: .terminate)
                return result
            } catch {
                try? execution.send(signal: .kill)
                throw error
            }
        }
        return ended.closureResult
    }
}
