// SPDX-License-Identifier: Apache-2.0

import CMemProbe
import Libc

/// This process's settings for events of its children, restored at the end.
///
/// While it lives, `SIGCHLD` is kept for ``wait(until:)``, and orphaned descendants become children of this process,
/// which otherwise could not reap them.
package struct ChildWatch: ~Copyable {
    private var handler = sigaction()
    private var mask = sigset_t()
    private let wasSubreaper: Bool

    init() {
        wasSubreaper = cmemprobe_is_subreaper()
        _ = cmemprobe_set_subreaper(true)
        // All zeros is the default: a program that ignores the signal would lose the exit statuses of its children.
        var standard = sigaction()
        sigaction(SIGCHLD, &standard, &handler)
        var changes = Self.changes
        pthread_sigmask(SIG_BLOCK, &changes, &mask)
    }

    deinit {
        var mask = mask
        var handler = handler
        pthread_sigmask(SIG_SETMASK, &mask, nil)
        sigaction(SIGCHLD, &handler, nil)
        _ = cmemprobe_set_subreaper(wasSubreaper)
    }

    /// Waits for an event or until a time, for at most 5 ms: another thread may receive the signal.
    borrowing func wait(until time: Int) {
        let nanoseconds = min(time - MonotonicClock.now(), 5_000_000)
        guard nanoseconds > 0 else { return }
        var rest = timespec(nanoseconds: nanoseconds)
        var changes = Self.changes
        sigtimedwait(&changes, nil, &rest)
    }

    private static var changes: sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, SIGCHLD)
        return set
    }

    /// The memory lines of `/proc/PID/status`.
    package enum MemoryLines {
        /// Returns the numbers of the lines that begin with `Vm` or `Rss`, in their order.
        package static func numbers(in text: Span<UInt8>) -> [Int] {
            var scanner = ByteScanner()
            var numbers: [Int] = []
            while !scanner.isAtEnd(of: text) {
                if scanner.skip("Vm", in: text) || scanner.skip("Rss", in: text) {
                    scanner.skipWord(in: text)
                    scanner.skipBlanks(in: text)
                    if let number = scanner.number(in: text) { numbers.append(number) }
                }
                scanner.skipLine(in: text)
            }
            return numbers
        }

        package static func judge(before: [Int], between: [Int], after: [Int]) -> ChildMemory {
            guard before.count == between.count, between.count == after.count else { return .unknown }
            let fits = zip(zip(before, after), between).allSatisfy { min($0.0, $0.1)...max($0.0, $0.1) ~= $1 }
            if fits { return .parents }
            return before == after ? .own : .unknown
        }
    }
}

package enum ChildMemory: Hashable, Sendable {
    /// A copy of its parent's, after `fork`.
    case own
    /// Its parent's until `exec`, after `vfork`, `posix_spawn` or `clone` with `CLONE_VM`.
    case parents
    /// One of the two.
    case unknown

    package init(cloneFlags: UInt64) { self = cloneFlags & Self.sharedMemoryFlag != 0 ? .parents : .own }

    /// `CLONE_VM`, which the C library's overlay omits.
    private static let sharedMemoryFlag: UInt64 = 0x100
}

extension ProcessFiles {
    private static let rounds = 3

    /// Finds out whose memory a process uses if its start was not observed.
    ///
    /// The first choice is `kcmp`, which seccomp profiles of containers refuse. Otherwise the memory lines of both
    /// processes are compared: a copy starts with a high-water mark and file pages of its own.
    func memory(of process: Int32, childOf parent: Int32) -> ChildMemory {
        switch cmemprobe_shares_memory(process, parent) {
        case 1: return .parents
        case 0: return .own
        default: break
        }
        let first = comparison(of: process, with: parent)
        for _ in 1..<Self.rounds where comparison(of: process, with: parent) != first { return .unknown }
        return first
    }

    /// Compares once: the parent's lines are read between two readings of the child's, which may change meanwhile.
    private func comparison(of process: Int32, with parent: Int32) -> ChildMemory {
        guard let before = memoryLines(of: process), let between = memoryLines(of: parent),
            let after = memoryLines(of: process), !before.isEmpty
        else { return .unknown }
        return ChildWatch.MemoryLines.judge(before: before, between: between, after: after)
    }
}
