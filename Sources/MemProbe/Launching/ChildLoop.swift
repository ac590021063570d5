// SPDX-License-Identifier: Apache-2.0

import CMemProbe
import Libc

/// The loop of the thread that drains a child's pipes, enforces its limits and forwards requests to it.
final class ChildLoop {
    private let launch: ChildLaunch
    private let control: ChildControl
    private let listener: ChildLaunch.Listener
    private let keeper: Keeper
    private let streams: ChildStreams
    private var tail: ChildStreams.TailBuffer
    private var output: [UInt8] = []
    private var outputCount = 0
    private var lines = ChildStreams.LineCutter()
    private var process: Int32 = 0
    private var end: ProcessEnd
    private var start: Int
    private var budget: TimeBudget
    private var isWaitingForAnswer: Bool
    /// The part of an answer that the child has not read yet.
    private var unsent: [UInt8] = []
    /// The reason why this loop killed the child, or `nil`.
    private var verdict: Ending?
    private var hasToldEnd = false
    /// The time that the keeper gets to kill the child: longer than it tries itself.
    private static let patience = 12_000_000_000
    /// More than any pipe holds: a child whose remaining output exceeds this writes without end.
    private static let mostInPipe = 4 << 20

    static func run(_ launch: ChildLaunch, _ control: ChildControl, _ listener: ChildLaunch.Listener) {
        let start = MonotonicClock.now()
        do throws(MemProbeError) {
            try ChildLoop(launch, control, listener, start).run()
        } catch {
            listener.onEnd(ProcessEnd(ending: Ending(notStarted: error), spawnedNanoseconds: start))
        }
    }

    private init(
        _ launch: ChildLaunch, _ control: ChildControl, _ listener: ChildLaunch.Listener, _ start: Int
    ) throws(MemProbeError) {
        (self.launch, self.control, self.listener) = (launch, control, listener)
        let streams = try ChildStreams(launch)
        var command = TracedCommand(
            executable: launch.executable, arguments: launch.arguments, environment: launch.environment,
            workingDirectory: launch.workingDirectory, standardInput: streams.theirs[0],
            standardOutput: streams.theirs[1], standardError: streams.theirs[2])
        command.controlGroup = launch.controlGroup
        keeper = try Keeper(starting: command, leavesOthers: launch.leavesOthers)
        streams.closeTheirs()
        self.streams = streams
        let capacity = if case .kept(let count) = launch.complaints { count } else { 0 }
        tail = ChildStreams.TailBuffer(capacity: capacity)
        end = ProcessEnd(ending: .signalled(Int(SIGKILL)), spawnedNanoseconds: start)
        self.start = start
        budget = TimeBudget(launch.limit, from: start)
        // A resident child waits for its first answer, too.
        isWaitingForAnswer = launch.isResident
        if launch.isResident { budget.pause(at: start) }
    }

    private func run() {
        while true {
            let now = MonotonicClock.now()
            // Lines are passed on with the process identifier, which the keeper may report after the first of them.
            let output = process == 0 || isWaitingForAnswer ? -1 : streams.output.polled(at: now)
            if budget.isUsedUp(at: now) { useUp() }
            var watched = [
                pollfd(fd: keeper.events, events: Int16(POLLIN), revents: 0),
                pollfd(fd: control.descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: streams.complaints.polled(at: now), events: Int16(POLLIN), revents: 0),
                pollfd(fd: output, events: Int16(POLLIN), revents: 0),
                pollfd(fd: unsent.isEmpty ? -1 : streams.input.descriptor, events: Int16(POLLOUT), revents: 0),
            ]
            poll(&watched, nfds_t(watched.count), timeout(at: now))
            if watched[1].revents != 0 { obey() }
            if watched[2].revents != 0 { drainComplaints() }
            if watched[3].revents != 0 { drainOutput() }
            if watched[4].revents != 0 { send() }
            if watched[0].revents != 0, !hear() { return }
        }
    }

    /// The milliseconds until something is due that no descriptor reports.
    private func timeout(at now: Int) -> Int32 {
        let output = process == 0 || isWaitingForAnswer ? nil : streams.output.wakeTime(at: now)
        let times = [budget.end, streams.complaints.wakeTime(at: now), output]
        guard let next = times.compactMap(\.self).min() else { return -1 }
        return Int32(clamping: max(0, next - now + 999_999) / 1_000_000)
    }

    /// Handles the end of the time limit: the child's, or after a kill that of an unresponsive keeper.
    private func useUp() {
        guard verdict != nil else {
            listener.onLimit(process)
            return finish(.killedAtLimit)
        }
        budget.drop()
        keeper.overrule(child: process)
    }

    /// Kills the child; the first reason counts.
    private func finish(_ reason: Ending) {
        guard verdict == nil else { return }
        budget = TimeBudget(Self.patience, from: MonotonicClock.now())
        verdict = reason
        keeper.order(SIGKILL)
    }

    private func obey() {
        let requests = control.take()
        if requests.isCancelled, verdict == nil {
            end.wasCancelled = true
            finish(.signalled(Int(SIGKILL)))
        }
        for signal in requests.signals { keeper.order(signal) }
        if let patience = requests.patience {
            streams.input.finish()
            keeper.order(SIGTERM)
            budget = TimeBudget(patience, from: MonotonicClock.now())
        }
        guard let answer = requests.answer, isWaitingForAnswer else { return }
        isWaitingForAnswer = false
        if launch.isResident {
            // Unsolicited output must not be taken for the answer to this.
            (lines, outputCount) = (ChildStreams.LineCutter(), 0)
            budget = TimeBudget(launch.limit, from: MonotonicClock.now())
        } else {
            budget.resume(at: MonotonicClock.now())
        }
        unsent += answer
        send()
        passLine()
    }

    /// Writes what the child reads of the answer, which may be longer than a pipe holds.
    private func send() {
        guard !unsent.isEmpty, streams.input.descriptor >= 0 else { return }
        let count = unsent.withUnsafeBytes { write(streams.input.descriptor, $0.baseAddress, $0.count) }
        if count < 0, errno == EAGAIN || errno == EINTR { return }
        // EPIPE of a child that was killed meanwhile; SIGPIPE is blocked here.
        unsent.removeFirst(count < 0 ? unsent.count : count)
    }

    /// Handles an event of the keeper; returns false after the last one.
    private func hear() -> Bool {
        var event = cmemprobe_keeper_event()
        guard cmemprobe_keeper_next(keeper.events, &event) else {
            // A keeper that stayed for other processes has reported the end before; a killed one took the child along.
            if !hasToldEnd { tellEnd(.signalled(Int(SIGKILL)), at: start) }
            return false
        }
        switch Int(event.kind) {
        case Int(CMEMPROBE_KEEPER_STARTED):
            start = Int(event.time_nanoseconds)
            end.spawnedNanoseconds = start
            process = event.identifier
            listener.onStart(process)
            return true
        case Int(CMEMPROBE_KEEPER_FAILED):
            let error = GatedChild.error(
                event.failure, executable: launch.executable, workingDirectory: launch.workingDirectory)
            listener.onEnd(ProcessEnd(ending: Ending(notStarted: error), spawnedNanoseconds: start))
            return false
        default:
            end.leftBehind = Survivors(event)
            tellEnd(Ending(WaitStatus(event.status)), at: Int(event.time_nanoseconds))
            return launch.leavesOthers
        }
    }

    private func tellEnd(_ ending: Ending, at nanoseconds: Int) {
        hasToldEnd = true
        budget.drop()
        // All writers are gone, so the pipes end, unless the keeper was killed first. If other processes may stay,
        // later output is not waited for.
        if launch.leavesOthers { drainComplaints() } else { drainRest { drainComplaints() } }
        isWaitingForAnswer = false
        drainRest { streams.output.descriptor >= 0 ? drainOutput() : 0 }
        end.ending = verdict ?? ending
        end.output = output
        end.complaints = tail.text
        end.nanoseconds = max(nanoseconds - start, 1)
        // A partial answer is useless.
        if case .lines = launch.output, !launch.isResident { passRest() }
        streams.output.finish()
        listener.onEnd(end)
    }

    private func drainRest(_ drain: () -> Int) {
        var left = Self.mostInPipe
        while left > 0 {
            let count = drain()
            guard count > 0 else { return }
            left -= count
        }
    }

    @discardableResult
    private func drainComplaints() -> Int { streams.complaints.drain(at: MonotonicClock.now()) { tail.fill(from: $0) } }

    @discardableResult
    private func drainOutput() -> Int {
        var portion: [UInt8] = []
        let count = streams.output.drain(at: MonotonicClock.now()) { descriptor in
            var count = 0
            portion += [UInt8](unsafeUninitializedCapacity: ChildPipe.portion) { buffer, size in
                count = ChildPipe.read(descriptor, UnsafeMutableRawBufferPointer(buffer))
                size = max(0, count)
            }
            return count
        }
        outputCount += count
        switch launch.output {
        case .kept(let limit):
            if outputCount > limit { tooMuch(limit) } else { output += portion }
        case .lines(let limit):
            lines.add(portion)
            if outputCount > limit { tooMuch(limit) } else { passLine() }
        case .discarded, .joined: break
        }
        return count
    }

    private func tooMuch(_ limit: Int) {
        finish(.wroteTooMuch(limit: limit))
        streams.output.finish()
    }

    /// Passes the next line on; the child's time limit is paused until it is answered.
    private func passLine() {
        guard !isWaitingForAnswer, let line = lines.next() else { return }
        isWaitingForAnswer = true
        budget.pause(at: MonotonicClock.now())
        var passed = ChildLaunch.Line(text: line, process: process)
        if launch.isResident {
            // Standard error that belongs to the line was written before it.
            drainRest { drainComplaints() }
            passed.complaints = tail.take()
        }
        listener.onLine(passed)
    }

    /// Passes on the remaining lines of a child that has ended and reads no answers.
    private func passRest() {
        while let line = lines.next() { listener.onLine(ChildLaunch.Line(text: line, process: process)) }
        if let line = lines.last() { listener.onLine(ChildLaunch.Line(text: line, process: process)) }
    }

    /// A time limit that can be paused.
    struct TimeBudget {
        private var left: Int?
        private var since: Int?

        /// Starts the budget; `nil` is endless.
        init(_ limit: Int?, from time: Int) {
            left = limit
            since = limit.map { _ in time }
        }

        /// The time at which it is used up unless it is paused, or `nil`.
        var end: Int? {
            guard let left, let since else { return nil }
            let (sum, isTooLarge) = since.addingReportingOverflow(left)
            return isTooLarge ? nil : sum
        }

        func isUsedUp(at time: Int) -> Bool { end.map { time >= $0 } ?? false }

        mutating func pause(at time: Int) {
            guard let remaining = left, let start = since else { return }
            left = max(0, remaining - (time - start))
            since = nil
        }

        mutating func resume(at time: Int) { if left != nil, since == nil { since = time } }

        mutating func drop() { (left, since) = (nil, nil) }
    }
}
