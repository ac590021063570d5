// SPDX-License-Identifier: Apache-2.0

import MemProbe
package import Subprocess
import Synchronization
import SystemPackage

/// A child process with an environment of its own, in a group of its own that ends with it, and a time limit.
package struct ChildProcess: Sendable {
    /// How one ended, and when: on the clock that all processes of a machine share, in nanoseconds.
    package struct End: Sendable {
        /// How it ended.
        package var ending: Ending
        /// The instant before it was spawned.
        package var spawnedNanoseconds: Int
        /// From then to its end; 0 where it never began.
        package var nanoseconds: Int
    }

    /// The path of the program.
    package var executable: String
    /// What it sees as its own name; its path where nothing is said.
    package var name: String?
    /// Its arguments.
    package var arguments: [String]
    /// Its whole environment.
    package var environment: [String: String]
    /// The folder it works in; that of this process where nothing is said.
    package var directory: String?
    /// After how long it is killed.
    package var limit: Duration

    /// Creates one that has not begun.
    package init(
        executable: String, name: String? = nil, arguments: [String], environment: [String: String],
        directory: String? = nil, limit: Duration
    ) {
        self.executable = executable
        self.name = name
        self.arguments = arguments
        self.environment = environment
        self.directory = directory
        self.limit = limit
    }

    /// Runs it to its end, and gives what it wrote.
    ///
    /// Standard input and error are files: a child that ends without reading must not end the harness.
    /// - Parameters:
    ///   - input: the path of the file that it reads.
    ///   - complaints: the path of the file that gets its standard error.
    ///   - outputLimit: how many bytes it may write.
    ///   - onStart: gets the number of the process as soon as it is there.
    package func output(
        reading input: String = "/dev/null", complainingTo complaints: String = "/dev/null", limitedTo outputLimit: Int,
        onStart: @escaping @Sendable (Int32) -> Void = { _ in }
    ) async throws -> (end: End, output: [UInt8]) {
        let (end, output) = try await run(
            reading: input, complainingTo: complaints, .bytes(limit: outputLimit), limit: outputLimit, onStart: onStart)
        return (end, output ?? [])
    }

    /// Runs it to its end, whatever it writes to standard output; what it starts may go on.
    /// - Parameter complaints: the path of the file that gets its standard error.
    package func end(complainingTo complaints: String) async throws -> End {
        try await run(reading: "/dev/null", complainingTo: complaints, .discarded).end
    }

    private func run<Output: OutputProtocol>(
        reading input: String, complainingTo complaints: String, _ output: Output, limit outputLimit: Int = 0,
        onStart: @escaping @Sendable (Int32) -> Void = { _ in }
    ) async throws -> (end: End, output: Output.OutputType?) {
        let inputFile = try FileDescriptor.open(FilePath(input), .readOnly, options: [.closeOnExec])
        let complaintFile = try Self.opened(complaints)
        let watchdog = Watchdog()
        defer { _ = watchdog.disarm() }
        let begin = MonotonicClock.now()
        do {
            let result = try await Subprocess.run(
                .path(FilePath(executable)), arguments: words, environment: .sorted(environment),
                workingDirectory: directory.map { FilePath($0) }, platformOptions: Self.ownGroup,
                input: .fileDescriptor(inputFile, closeAfterSpawningProcess: true), output: output,
                error: .fileDescriptor(complaintFile, closeAfterSpawningProcess: true)
            ) { execution in
                onStart(execution.processIdentifier.value)
                // What it has started may hold its output open, so that its end alone would not be seen.
                watchdog.arm(after: limit) { try? execution.send(signal: .kill, toProcessGroup: true) }
            }
            let nanoseconds = MonotonicClock.now() - begin
            let ending = Ending(result.terminationStatus, timedOut: watchdog.disarm())
            return (
                End(ending: ending, spawnedNanoseconds: begin, nanoseconds: nanoseconds), result.standardOutput
            )
        } catch let error as SubprocessError where error.code == .outputLimitExceeded {
            let nanoseconds = MonotonicClock.now() - begin
            let ending = Ending.wroteTooMuch(limit: outputLimit)
            return (End(ending: ending, spawnedNanoseconds: begin, nanoseconds: nanoseconds), nil)
        } catch let error as SubprocessError where !Task.isCancelled {
            let ending = Ending.notStarted(Self.reason(of: error))
            return (End(ending: ending, spawnedNanoseconds: begin, nanoseconds: 0), nil)
        }
    }

    /// Runs it to its end while its lines are answered.
    ///
    /// While a line is looked at the time limit stands still: a slow machine must not look like a deadlock.
    /// - Parameters:
    ///   - complaints: the path of the file that gets its standard error.
    ///   - onLine: gets each line and the child's number, and says whether to answer it.
    package func conversation(
        complainingTo complaints: String, onLine: @escaping @Sendable (String, Int32) async throws -> Bool
    ) async throws -> End {
        let complaintFile = try Self.opened(complaints)
        let begin = MonotonicClock.now()
        do {
            let ending = try await answered(complaintFile, onLine)
            return End(ending: ending, spawnedNanoseconds: begin, nanoseconds: MonotonicClock.now() - begin)
        } catch let error as SubprocessError where !Task.isCancelled {
            let ending = Ending.notStarted("the child did not start: \(Self.reason(of: error))")
            return End(ending: ending, spawnedNanoseconds: begin, nanoseconds: 0)
        }
    }

    private func answered(
        _ complaintFile: FileDescriptor, _ onLine: @escaping @Sendable (String, Int32) async throws -> Bool
    ) async throws -> Ending {
        let watch = Mutex<TimeLimit?>(nil)
        // Whatever is thrown: the number of the process may belong to another one soon.
        defer { _ = watch.withLock { $0 }?.end() }
        let result = try await Subprocess.run(
            .path(FilePath(executable)), arguments: words, environment: .sorted(environment),
            workingDirectory: directory.map { FilePath($0) }, platformOptions: Self.ownGroup, input: .inputWriter,
            output: .sequence, error: .fileDescriptor(complaintFile, closeAfterSpawningProcess: true)
        ) { execution in
            let timeLimit = TimeLimit(limit) { try? execution.send(signal: .kill, toProcessGroup: true) }
            watch.withLock { $0 = timeLimit }
            for try await line in execution.standardOutput.strings() {
                timeLimit.pause()
                defer { timeLimit.resume() }
                guard try await onLine(line, execution.processIdentifier.value) else { continue }
                // A child that was killed meanwhile reads no answer.
                _ = try? await execution.standardInputWriter.write([UInt8(ascii: "\n")])
            }
        }
        return Ending(result.terminationStatus, timedOut: watch.withLock { $0 }?.end() ?? false)
    }

    private var words: Arguments {
        guard let name else { return Arguments(arguments) }
        return Arguments(executablePathOverride: name, remainingValues: arguments)
    }

    private static func opened(_ path: String) throws -> FileDescriptor {
        try FileDescriptor.open(
            FilePath(path), .writeOnly, options: [.create, .truncate, .closeOnExec], permissions: .ownerReadWrite)
    }

    private static func reason(of error: SubprocessError) -> String {
        error.underlyingError?.description ?? "\(error.code)"
    }

    /// A group of its own, so that Ctrl-C reaches the harness alone, which then ends the child.
    private static let ownGroup: PlatformOptions = {
        var options = PlatformOptions()
        options.processGroupID = 0
        options.teardownSequence = [.send(signal: .kill, toProcessGroup: true, allowedDurationToNextStep: .zero)]
        return options
    }()
}

extension Environment {
    /// The variables in the order of their names, so that the process's first page looks the same each time.
    package static func sorted(_ variables: [String: String]) -> Environment {
        // Each ends with a zero byte of its own: the library copies up to the first one it meets.
        .custom(variables.sorted { $0.key < $1.key }.map { Array("\($0.key)=\($0.value)\0".utf8) })
    }
}

extension Ending {
    fileprivate init(_ status: TerminationStatus, timedOut: Bool) {
        switch status {
        case _ where timedOut: self = .killedAtLimit
        case .exited(let code): self = .exited(Int(code))
        case .signaled(let signal): self = .signalled(Int(signal))
        }
    }
}
