// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc

/// Feeds a target with mutated inputs, in children that may trap, and keeps the inputs that make them.
struct Hunt {
    /// After so many inputs a child is replaced: what one of them leaves behind does not reach all that follow.
    private static let batch = 50_000
    /// How many children may be spent on making one finding smaller.
    private static let shrinkingLimit = 400

    let target: FuzzTarget
    let folder: FuzzFolder
    let seed: UInt64
    /// Where findings are stored, or `nil` where they are only told.
    let corpus: String?

    /// The result.
    struct Outcome {
        var inputs = 0
        var accepted = 0
        var seconds = 0.0
        /// The files of the findings, or the numbers of the inputs where nothing is stored.
        var findings: [String] = []
    }

    /// Runs so many inputs, until there are so many findings or the time is over.
    func run(count: Int, findings most: Int, seconds limit: Double) throws(FuzzFailure) -> Outcome {
        let temporary = try TemporaryDirectory()
        let progress = try Progress()
        var outcome = Outcome()
        let start = WatchedChild.now(CLOCK_MONOTONIC)
        while outcome.inputs < count, outcome.findings.count < most, outcome.seconds < limit {
            let first = outcome.inputs
            progress.number = first
            progress.accepted = 0
            let size = min(Self.batch, count - first, limit.isFinite ? 5000 : .max)
            let ending = try WatchedChild.run(
                ["batch", target.name, "\(seed)", "\(first)", "\(size)", "--folder", folder.path], progress: progress,
                temporaryFolder: temporary.path, isQuiet: true)
            outcome.accepted += progress.accepted
            if ending == .done {
                outcome.inputs += size
            } else {
                outcome.inputs = progress.number + 1
                outcome.findings.append(try kept(progress.number, ending, temporary.path))
            }
            outcome.seconds = WatchedChild.now(CLOCK_MONOTONIC) - start
        }
        return outcome
    }

    /// Makes the input of a finding as small as it gets, and stores it.
    private func kept(_ number: Int, _ ending: ChildEnding, _ temporary: String) throws(FuzzFailure) -> String {
        var input = try folder.mutator(of: target).input(number, seed: seed)
        let tried = temporary + "/input"
        guard let corpus else { return "input \(number) (\(ending.word))" }
        var children = 0
        var size = input.count / 2
        while size > 0, children < Self.shrinkingLimit {
            var start = 0
            while start < input.count, children < Self.shrinkingLimit {
                var shorter = input
                shorter.removeSubrange(start..<min(start + size, input.count))
                children += 1
                if try self.ending(of: shorter, at: tried, temporary) == ending {
                    input = shorter
                } else {
                    start += size
                }
            }
            size /= 2
        }
        let name = "\(ending.word)-\(Self.digest(of: input))"
        let place = corpus + "/" + target.name
        do {
            try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
            try Data(input).write(to: URL(fileURLWithPath: place + "/" + name))
        } catch {
            throw FuzzFailure("\(place)/\(name) cannot be written: \(error)")
        }
        return place + "/" + name
    }

    private func ending(of input: [UInt8], at path: String, _ temporary: String) throws(FuzzFailure) -> ChildEnding {
        do {
            try Data(input).write(to: URL(fileURLWithPath: path))
        } catch {
            throw FuzzFailure("\(path) cannot be written: \(error)")
        }
        return try WatchedChild.run(
            ["one", target.name, path, "--folder", folder.path], progress: Progress(), temporaryFolder: temporary,
            isQuiet: true)
    }

    /// FNV-1a: a name for an input, no more.
    private static func digest(of bytes: [UInt8]) -> String {
        String(bytes.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }, radix: 16)
    }
}

/// A folder that is gone when it is not used any more; in memory, because millions of documents go through it.
struct TemporaryDirectory: ~Copyable {
    let path: String

    init() throws(FuzzFailure) {
        var template = Array(
            "\(access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp")/fetchbench-fuzz-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw FuzzFailure("no temporary folder can be made") }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}

/// Runs in a child: reads inputs in turn, and crashes within the one that should have been refused.
enum Batch {
    /// How much more memory than at its start a child may have.
    private static let memoryLimit: UInt = 512 << 20

    /// Limits the memory of this process, so that an input that makes it grow ends it.
    static func limitMemory() {
        // Writable private memory alone: of address space a thread takes much more than it uses.
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(2), &limit)
        limit.rlim_cur = dataBytes() + memoryLimit
        setrlimit(__rlimit_resource_t(2), &limit)
        limit = rlimit(rlim_cur: 0, rlim_max: 0)
        setrlimit(__rlimit_resource_t(4), &limit)
    }

    private static func dataBytes() -> UInt {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmData:") }
        return (line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { UInt($0) } ?? 0) << 10
    }

    /// Reads the inputs of some numbers.
    static func run(_ target: FuzzTarget, _ mutator: Mutator, seed: UInt64, numbers: Range<Int>) throws {
        let progress = try Progress(ofParent: ())
        for number in numbers {
            progress.number = number
            let input = mutator.input(number, seed: seed)
            let refusal = try refusal(of: input, by: target, draws: number % target.drawingInterval == 0)
            if refusal == nil { progress.accepted += 1 }
        }
    }

    /// The error that an input is refused with, or `nil` where it is read.
    static func refusal(of input: [UInt8], by target: FuzzTarget, draws: Bool) throws(BrokenPromise) -> (any Error)? {
        do {
            try target.read(input, draws)
            return nil
        } catch let broken as BrokenPromise {
            throw broken
        } catch {
            return error
        }
    }
}

/// A child's progress in memory shared with its parent, which survives the child.
struct Progress: ~Copyable, @unchecked Sendable {
    /// The descriptor under which a child has it.
    static let childDescriptor: Int32 = 3

    private static let size = 2 * MemoryLayout<Int>.size
    let descriptor: Int32
    private let words: UnsafeMutablePointer<Int>

    /// Makes a new one.
    init() throws(FuzzFailure) {
        var template = Array("/tmp/fetchbench-fuzz-XXXXXX".utf8CString)
        let descriptor = mkstemp(&template)
        unlink(template)
        try self.init(descriptor: descriptor)
    }

    /// Opens that of the parent.
    init(ofParent: Void) throws(FuzzFailure) {
        try self.init(descriptor: Self.childDescriptor)
    }

    private init(descriptor: Int32) throws(FuzzFailure) {
        self.descriptor = descriptor
        guard descriptor >= 0, ftruncate(descriptor, Self.size) == 0,
            let memory = mmap(nil, Self.size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0), memory != MAP_FAILED
        else { throw FuzzFailure("the progress of a batch cannot be shared: \(String(cString: strerror(errno)))") }
        words = memory.bindMemory(to: Int.self, capacity: 2)
    }

    deinit {
        munmap(words, Self.size)
        close(descriptor)
    }

    /// The number of the input that is being read.
    var number: Int {
        get { words[0] }
        nonmutating set { words[0] = newValue }
    }

    /// How many inputs were read without an error.
    var accepted: Int {
        get { words[1] }
        nonmutating set { words[1] = newValue }
    }
}

/// Something that stops the fuzzer itself.
struct FuzzFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

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
