// SPDX-License-Identifier: Apache-2.0

import CTrialKit
import Glibc
import MemProbe
import Synchronization

/// The program of this process, started once more, and the line to it: a pair of sockets, of which one end is its input
/// and output, and the other one this process's.
///
/// Not a pair of pipes: the other process would inherit both ends of one, and never read the end of what it is told.
package final class OwnProgram: Sendable {
    /// How many bytes of its answers are read at once.
    private static let pieceSize = 4096

    /// How one ends that has done what it was told.
    package static let success = words(ofStatus: 0)

    private let own: Int32
    private let other: Atomic<Int32>

    package init() throws(FetchFailure) {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw FetchFailure(errno: errno, "no line to a second process can be had")
        }
        own = ends[0]
        other = Atomic(ends[1])
    }

    deinit {
        close(own)
        letGoOfOtherEnd()
    }

    /// Starts it at the other end, which is its alone from then on, in the same environment.
    /// - Parameters:
    ///   - arguments: The first of them is what it sees as its own name.
    ///   - output: What it writes to in the place of the line; its complaints go where those of this process go.
    package func start(_ arguments: [String], output: Int32? = nil) throws(FetchFailure) -> Int32 {
        defer { letGoOfOtherEnd() }
        let end = other.load(ordering: .relaxed)
        let words = arguments.map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        let process = ctrialkit_spawn_self(words, end, output ?? end)
        guard process > 0 else { throw FetchFailure(errno: -process, "this program could not be started again") }
        return process
    }

    /// Sends all of a text; `false` where nobody reads any more.
    func send(_ text: String) -> Bool { SocketCall.sendAll(text, to: own) }

    /// Sends all of a document, after which no more comes; `false` where nobody reads it.
    package func send(document: some Collection<UInt8>) -> Bool {
        defer { endInput() }
        return Array(document).withUnsafeBytes { SocketCall.sendAll($0, to: own) }
    }

    /// Nothing more will be sent: the other process's input ends.
    func endInput() {
        shutdown(own, Int32(SHUT_WR))
    }

    /// Hands over each line that comes, until the other end is closed.
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

    /// Everything that comes, until the other end is closed.
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

    /// Waits until a process has ended, and tells how: `by itself, with status 0`, `by signal 9`.
    package static func ending(of process: Int32) -> String {
        var status: Int32 = 0
        _ = SystemCall.retried { waitpid(process, &status, 0) }
        return words(ofStatus: status)
    }

    /// What a status of `waitpid(2)` says of a process that has ended.
    static func words(ofStatus status: Int32) -> String {
        let signal = status & 0x7f
        return signal == 0 ? "by itself, with status \((status >> 8) & 0xff)" : "by signal \(signal)"
    }
}
