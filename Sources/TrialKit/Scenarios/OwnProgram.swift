// SPDX-License-Identifier: Apache-2.0

import CTrialKit
import Glibc
import MemProbe
import Synchronization

/// A second process of this program, and a pair of sockets: one end is its input and output, the other one is this
/// process's.
///
/// Not a pair of pipes: the second process would inherit both ends of one, and its input would never end.
package final class OwnProgram: Sendable {
    private static let pieceSize = 4096

    package static let success = words(ofStatus: 0)

    private let own: Int32
    private let other: Atomic<Int32>

    package init() throws(FetchFailure) {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw FetchFailure(errno: errno, "could not open a connection to a second process")
        }
        own = ends[0]
        other = Atomic(ends[1])
    }

    deinit {
        close(own)
        letGoOfOtherEnd()
    }

    /// Starts the process in the same environment with the other end, which it alone holds from then on.
    /// - Parameters:
    ///   - arguments: Its arguments, beginning with its own name.
    ///   - output: A descriptor for its output in place of the socket; standard error is shared with this process.
    package func start(_ arguments: [String], output: Int32? = nil) throws(FetchFailure) -> Int32 {
        defer { letGoOfOtherEnd() }
        let end = other.load(ordering: .relaxed)
        let words = arguments.map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        let process = ctrialkit_spawn_self(words, end, output ?? end)
        guard process > 0 else { throw FetchFailure(errno: -process, "this program could not be started again") }
        return process
    }

    /// Sends a text; returns `false` if the other end is closed.
    func send(_ text: String) -> Bool { SocketCall.sendAll(text, to: own) }

    /// Sends a document and ends the other process's input; returns `false` if the other end is closed.
    package func send(document: some Collection<UInt8>) -> Bool {
        defer { endInput() }
        return Array(document).withUnsafeBytes { SocketCall.sendAll($0, to: own) }
    }

    func endInput() {
        shutdown(own, Int32(SHUT_WR))
    }

    /// Passes each line to `take` until the other end is closed.
    func readLines(_ take: (String) -> Void) {
        var line: [UInt8] = []
        read { piece in
            for byte in piece {
                if byte == UInt8(ascii: "\n") {
                    take(String(decoding: line, as: UTF8.self))
                    line.removeAll(keepingCapacity: true)
                } else {
                    line.append(byte)
                }
            }
        }
    }

    /// Reads everything until the other end is closed.
    package func readAll() -> [UInt8] {
        var bytes: [UInt8] = []
        read { bytes += $0 }
        return bytes
    }

    private func read(_ take: (ArraySlice<UInt8>) -> Void) {
        var piece = [UInt8](repeating: 0, count: Self.pieceSize)
        while true {
            let count = piece.withUnsafeMutableBytes { SocketCall.receive($0, from: own) }
            guard count > 0 else { return }
            take(piece[..<count])
        }
    }

    private func letGoOfOtherEnd() {
        let descriptor = other.exchange(-1, ordering: .relaxed)
        if descriptor >= 0 { close(descriptor) }
    }

    /// Waits for the end of a process and describes it: `by itself, with status 0`, `by signal 9`.
    package static func ending(of process: Int32) -> String {
        var status: Int32 = 0
        _ = SystemCall.retried { waitpid(process, &status, 0) }
        return words(ofStatus: status)
    }

    /// Describes the status of an ended process from `waitpid(2)`.
    static func words(ofStatus status: Int32) -> String {
        let signal = status & 0x7f
        return signal == 0 ? "by itself, with status \((status >> 8) & 0xff)" : "by signal \(signal)"
    }
}
