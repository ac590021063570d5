// SPDX-License-Identifier: Apache-2.0

import Foundation
import MemProbe
import Subprocess
import SystemPackage

/// The embedded origin as a process of its own, alive for the time of a run.
public enum OriginProcess {
    /// Starts the origin, waits for its address, does `body`, and ends the origin whatever happens.
    ///
    /// The origin holds the other end of a pipe to this process: when this process dies, however it dies, the
    /// origin sees the end of the pipe and leaves.
    /// - Parameters:
    ///   - executable: the path of the program.
    ///   - arguments: what makes it serve until its standard input ends and print its address as its first line.
    ///   - body: gets the address, `http://127.0.0.1:PORT`.
    public static func withOrigin<Result: Sendable>(
        executable: String, arguments: [String], environment: [String: String],
        _ body: @escaping @Sendable (_ baseURL: String) async throws -> Result
    ) async throws -> Result {
        var options = PlatformOptions()
        options.processGroupID = 0
        options.teardownSequence = [.send(signal: .kill, allowedDurationToNextStep: .zero)]
        let ended = try await Subprocess.run(
            .path(FilePath(executable)), arguments: Arguments(arguments), environment: .sorted(environment),
            platformOptions: options, input: .inputWriter, output: .sequence, error: .currentStandardError
        ) { execution in
            var lines = execution.standardOutput.strings().makeAsyncIterator()
            guard let address = try await lines.next(), address.hasPrefix("http://") else {
                throw FetchBenchError.originDidNotStart
            }
            do {
                let result = try await body(address)
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
