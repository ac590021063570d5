// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials
import Glibc
package import TrialKit

/// Another process of the program that runs: what an application was before it was restarted.
package enum ProgramTwin {
    /// Starts it, hands it a document, and waits for its answer and its end.
    /// - Throws: ``FetchFailure`` where it cannot be started or ends badly.
    package static func answer(to document: Data) async throws(FetchFailure) -> Data {
        let result = await withCheckedContinuation { continuation in
            do throws(FetchFailure) {
                try DetachedThread.run {
                    continuation.resume(returning: Result { () throws(FetchFailure) in try run(document) })
                }
            } catch {
                continuation.resume(returning: .failure(error))
            }
        }
        return try result.get()
    }

    private static func run(_ document: Data) throws(FetchFailure) -> Data {
        let (input, output) = (try pipe(), try pipe())
        defer { close(output.read) }
        let child = try start(input, output)
        write(document, to: input.write)
        close(input.write)
        let answer = readAll(from: output.read)
        var ending: CInt = 0
        while waitpid(child, &ending, 0) < 0, errno == EINTR {}
        guard ending == 0 else {
            throw FetchFailure(.other, "the program, started once more, ended with status \(ending)")
        }
        return answer
    }

    /// Starts it; of the pipes this process keeps its own ends alone, and none to write to where it was not started.
    private static func start(_ input: Pipe, _ output: Pipe) throws(FetchFailure) -> Int32 {
        defer {
            close(input.read)
            close(output.write)
        }
        do throws(FetchFailure) {
            return try OwnProgram.start(["trial"], input: input.read, output: output.write)
        } catch {
            close(input.write)
            throw error
        }
    }

    private typealias Pipe = (read: CInt, write: CInt)

    private static func pipe() throws(FetchFailure) -> Pipe {
        var ends: [CInt] = [0, 0]
        guard Glibc.pipe(&ends) == 0 else { throw FetchFailure(errno: errno, "no pipe could be had") }
        // Not the other process's: it would wait for an end of its input that it holds open itself.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    private static func write(_ document: Data, to descriptor: CInt) {
        var rest = document[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    private static func readAll(from descriptor: CInt) -> Data {
        var bytes = Data()
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return bytes }
            bytes.append(contentsOf: buffer[..<count])
        }
    }
}
