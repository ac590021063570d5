// SPDX-License-Identifier: Apache-2.0

import Glibc

/// How a child of the fuzzer ended.
enum ChildEnding: Hashable {
    /// It read everything, or refused it.
    case done
    /// It ended with the status of a broken promise.
    case promiseBroken
    /// A signal ended it, such as that of a trap.
    case signal(Int32)
    /// It worked on one input for too long.
    case hang

    /// The word in the name of a stored finding.
    var word: String {
        switch self {
        case .done: "nothing"
        case .promiseBroken: "promise"
        case .signal(let signal): "signal\(signal)"
        case .hang: "hang"
        }
    }
}

/// This program again, in a process that may trap.
struct WatchedChild {
    /// The exit status of a broken promise; every other one but 0 is a fault of the fuzzer.
    static let brokenStatus: Int32 = 3
    /// How long one input may take, in seconds of the child's CPU time: what waits for a core does not hang.
    private static let cpuLimit = 2.0
    /// The same on the clock, for what waits for something that never comes.
    private static let timeLimit = 60.0

    /// Runs a child to its end.
    /// - Parameter isQuiet: whether what it complains about is dropped.
    static func run(
        _ arguments: [String], progress: borrowing Progress, temporaryFolder: String, isQuiet: Bool
    ) throws(FuzzFailure) -> ChildEnding {
        let child = try spawn(arguments, progress.descriptor, temporaryFolder, isQuiet: isQuiet)
        var number = progress.number
        var (cpu, time) = (0.0, now(CLOCK_MONOTONIC))
        var status: Int32 = 0
        while true {
            let ended = waitpid(child, &status, WNOHANG)
            if ended == child { return try ending(status) }
            guard ended == 0 || errno == EINTR else { throw FuzzFailure("a child cannot be waited for") }
            if progress.number != number {
                number = progress.number
                (cpu, time) = (cpuTime(of: child), now(CLOCK_MONOTONIC))
            } else if cpuTime(of: child) - cpu > cpuLimit || now(CLOCK_MONOTONIC) - time > timeLimit {
                kill(child, SIGKILL)
                waitpid(child, &status, 0)
                return .hang
            }
            usleep(2000)
        }
    }

    private static func ending(_ status: Int32) throws(FuzzFailure) -> ChildEnding {
        let signal = status & 0x7F
        if signal != 0 { return .signal(signal) }
        switch status >> 8 & 0xFF {
        case 0: return .done
        case brokenStatus: return .promiseBroken
        case let other: throw FuzzFailure("a child ended with status \(other)")
        }
    }

    private static func spawn(
        _ arguments: [String], _ descriptor: Int32, _ folder: String, isQuiet: Bool
    ) throws(FuzzFailure) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, descriptor, Progress.childDescriptor)
        for stream: Int32 in [1, 2] where isQuiet {
            posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_WRONLY, 0)
        }
        // The runtime's own report of a trap takes longer than a thousand inputs.
        let environment = ["PATH=/usr/bin:/bin", "TMPDIR=\(folder)", "SWIFT_BACKTRACE=enable=no"]
        let words = (["fetchbench-fuzz"] + arguments).map { strdup($0) } + [nil]
        let variables = environment.map { strdup($0) } + [nil]
        defer { (words + variables).forEach { free($0) } }
        var child: pid_t = 0
        let status = posix_spawn(&child, "/proc/self/exe", &actions, nil, words, variables)
        guard status == 0 else { throw FuzzFailure("a child cannot be started: \(String(cString: strerror(status)))") }
        return child
    }

    private static func cpuTime(of process: pid_t) -> Double {
        var clock = clockid_t()
        return clock_getcpuclockid(process, &clock) == 0 ? now(clock) : 0
    }

    /// The seconds of a clock.
    static func now(_ clock: clockid_t) -> Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
