// SPDX-License-Identifier: Apache-2.0

import Libc
import Synchronization

/// Lets another thread read a traced command while it runs, and end it.
///
/// The tracing thread serves an order between two events of the command; the thread that gives it waits meanwhile.
package final class TraceControl: Hashable, Sendable {
    struct Order {
        /// True to let peaks count from this mark on.
        var begins = false
        /// The nanoseconds for which memory has to be unchanged before the mark.
        var quiet = 0
        /// The nanoseconds after which the mark is taken nevertheless.
        var patience = 0
        /// The signal for every process of the command, in place of a mark.
        var signal: Int32?
    }

    private struct State {
        var order: (Order, since: Int)?
        var mark: TraceMark?
        var isOver = false
        /// The tracing thread, which lives until it is over.
        var tracer: pthread_t?
    }

    private static let pause = 200_000
    private let state = Mutex(State())

    package init() {}

    package static func == (left: TraceControl, right: TraceControl) -> Bool { left === right }

    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

    package var isOver: Bool { state.withLock(\.isOver) }

    /// Ends every wait: the command has ended, or was never started.
    package func close() { state.withLock { $0.isOver = true } }

    /// Waits for a mark; returns `nil` if the command ends first.
    ///
    /// - Parameters:
    ///   - begins: true to let peaks count from this mark on.
    ///   - quiet: the nanoseconds for which memory has to be unchanged before it.
    ///   - patience: the nanoseconds after which it is taken nevertheless.
    package func mark(begins: Bool = false, quiet: Int = 0, patience: Int = 0) -> TraceMark? {
        served(Order(begins: begins, quiet: quiet, patience: patience))
    }

    package func signal(_ number: Int32) { _ = served(Order(signal: number)) }

    private func served(_ order: Order) -> TraceMark? {
        state.withLock {
            ($0.order, $0.mark) = ((order, MonotonicClock.now()), nil)
            // It waits for events of its children: see ``ChildWatch``.
            if let tracer = $0.tracer, !$0.isOver { pthread_kill(tracer, SIGCHLD) }
        }
        while true {
            let (isServed, mark) = state.withLock { ($0.order == nil || $0.isOver, $0.mark) }
            if isServed { return mark }
            MonotonicClock.sleep(nanoseconds: Self.pause)
        }
    }

    /// Serves an order that is due; memory has been unchanged since a time.
    func serve(at now: Int, unchangedSince: Int, _ body: (Order) -> TraceMark?) {
        let due = state.withLock { state in
            state.tracer = pthread_self()
            return state.order.flatMap { order, since in
                let isQuiet = now - max(unchangedSince, since) >= order.quiet
                return isQuiet || now - since >= order.patience ? order : nil
            }
        }
        guard let due else { return }
        let mark = body(due)
        state.withLock { ($0.order, $0.mark) = (nil, mark) }
    }
}

/// All processes of a command at one instant, and what they took since the mark from which peaks count.
package struct TraceMark: Hashable, Sendable {
    /// The sums over all processes; of pages that they share what is certain.
    package var memory: Snapshot
    package var descriptors: Int
    /// The identifiers of the processes that live.
    package var processes: [Int32]
    package var trace: CommandTrace
}

extension Tracer {
    /// Serves an order of another thread: `look` reads all processes.
    final func serve(method: CommandTrace.Method, _ look: (_ time: Int) -> Void) {
        plan.control?.serve(at: MonotonicClock.now(), unchangedSince: unchangedSince) { order in
            if let signal = order.signal {
                // The whole group, as a service manager does; its number is certain while the command itself lives.
                if leaderEnd == nil { kill(-leader, signal) }
                return nil
            }
            look(MonotonicClock.now())
            let mark = mark(method: method)
            if order.begins { beginWindow(at: mark.memory.timeNanoseconds) }
            return mark
        }
    }

    private func mark(method: CommandTrace.Method) -> TraceMark {
        let (now, least) = (MonotonicClock.now(), tree.joint.least)
        let living = tree.living.map { tree.processes[$0] }
        let memory = Snapshot(
            timeNanoseconds: now, resident: least.resident, anonymous: least.anonymous,
            programPages: living.count == 1 ? living[0].programPages : tree.programPagesTogether(files),
            threads: living.reduce(0) { $0 + $1.threads.count }, cpuNanoseconds: cpuNanoseconds)
        let descriptors = living.reduce(0) { $0 + files.descriptors(of: $1.identifier) }
        return TraceMark(
            memory: memory, descriptors: descriptors, processes: living.map(\.identifier),
            trace: trace(method: method, until: now))
    }

    private func beginWindow(at time: Int) {
        window = (time, cpuNanoseconds)
        for index in tree.living where tree.processes[index].ownsMemory {
            tree.beginWindow(of: index, isReset: files.resetMark(of: tree.processes[index].identifier))
        }
        tree.beginWindow()
    }
}

extension ProcessFiles {
    /// Resets the high-water mark of a process; returns false if the kernel refuses it.
    fileprivate func resetMark(of process: Int32) -> Bool {
        let file = open("/proc/\(process)/clear_refs", O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { return false }
        defer { close(file) }
        return write(file, "5", 1) == 1
    }

    /// The descriptors that a process has open; 0 if they are hidden.
    fileprivate func descriptors(of process: Int32) -> Int {
        guard var stream = FolderStream("/proc/\(process)/fd") else { return 0 }
        var count = 0
        while let name = stream.next() { count += name.hasPrefix(".") ? 0 : 1 }
        return count
    }
}
