// SPDX-License-Identifier: Apache-2.0

import Foundation
import MemProbe
import Profiles
import Synchronization
import Testing
import Texts

/// A run of one case of a test in a fresh process.
package struct ChildTrial: Sendable {
    struct Result: Sendable {
        var answer: Swift.Result<ChildScope.Answer, Fault>
        var issues: [EventStream.CarriedIssue]
        var attachments: [(name: String?, content: [UInt8])]
        var output: String
        var recordings: Swift.Result<[RecordingFolder.Entry], any Error>?
    }

    let command: TestCommand
    let test: String
    let testCase: CaseKey
    let limit: ChildTimeLimit

    private static let mostEventBytes = 16 << 20

    /// Runs the case in a fresh process, with a folder that is removed afterwards.
    func run(_ work: ChildScope.Request.Work, recorder: RecorderFile? = nil) async -> Result {
        let folder = ChildFolder(
            path: FileManager.default.temporaryDirectory.appending(path: "memprobe-testing-\(UUID().uuidString)").path)
        let kept: KeptFolder
        do {
            // Removed even if this process is killed.
            kept = try KeptFolder(at: folder.path)
            for path in [folder.attachments, folder.recordings] {
                try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            }
            let request = ChildScope.Request(test: test, testCase: testCase, work: work)
            try JSONEncoder().encode(request).write(to: URL(fileURLWithPath: folder.request))
        } catch {
            return Result(
                answer: .failure(Fault("no folder for its answer (TMPDIR): \(Self.reason(of: error))")),
                issues: [], attachments: [], output: "")
        }
        defer {
            try? FileManager.default.removeItem(atPath: folder.path)
            withExtendedLifetime(kept) {}
        }
        var process = process(in: folder)
        recorder?.load(into: &process.environment, recordingTo: folder.recordings)
        let ready = process
        let end = await ChildGate.shared.pass { await ready.run() }
        var result = result(in: folder, end)
        if recorder != nil {
            result.recordings = Swift.Result {
                try RecordingFolder(path: folder.recordings).entries()
            }
        }
        return result
    }

    private func process(in folder: ChildFolder) -> Process {
        var environment = SystemText.environment
        environment[ChildFolder.variable] = "\(getpid()):\(folder.path)"
        return Process(
            arguments: command.arguments(running: test, in: folder), environment: environment, limit: limit.seconds)
    }

    private static func reason(of error: any Error) -> String {
        (error as? MemProbeError).map { "\($0)" } ?? error.localizedDescription
    }

    private func result(in folder: ChildFolder, _ end: Process.End) -> Result {
        let content = { FileManager.default.contents(atPath: $0) }
        // A test may record issues until its time limit.
        let handle = FileHandle(forReadingAtPath: folder.events)
        let events = EventStream(parsing: (try? handle?.read(upToCount: Self.mostEventBytes)) ?? Data())
        return Result(
            answer: answer(content(folder.answer), end, events.issues), issues: events.issues,
            attachments: events.attachments.compactMap { file in content(file.path).map { (file.name, Array($0)) } },
            output: end.output)
    }

    private func answer(
        _ data: Data?, _ end: Process.End, _ issues: [EventStream.CarriedIssue]
    ) -> Swift.Result<ChildScope.Answer, Fault> {
        if let fault = end.fault {
            let words = LastWords.reason(in: end.output, limit: 300)
            return .failure(
                Fault(
                    fault + (end.end?.ending == .killedAtLimit ? " (\(limit.words))" : "")
                        + (words.isEmpty ? "" : "; its last words: \(SafeText.forTerminal(words))"), isOfProcess: true
                ))
        }
        if end.isRed, !issues.contains(where: { !$0.isWarning }) {
            return .failure(Fault("its run was red, and the issue that made it so cannot be read"))
        }
        guard let data else {
            return .failure(
                Fault(
                    "it gave no answer: it did not run this case to its end. Are its arguments the same in every process "
                        + "(no random values, addresses or times), and is it disabled there?"))
        }
        guard let answer = try? JSONDecoder().decode(ChildScope.Answer.self, from: data) else {
            return .failure(Fault("its answer cannot be read"))
        }
        if case .unmeasurable(let reason) = answer.reading { return .failure(Fault(reason)) }
        return .success(answer)
    }

    /// Limits the number of children that run at a time to that of processors.
    actor ChildGate {
        static let shared = ChildGate(limit: max(1, ProcessInfo.processInfo.activeProcessorCount))

        private var free: Int
        private var waiting: [CheckedContinuation<Void, Never>] = []

        init(limit: Int) { free = limit }

        /// Runs `body` as soon as there is room.
        nonisolated func pass<Value: Sendable>(_ body: @Sendable () async -> Value) async -> Value {
            await enter()
            let value = await body()
            await leave()
            return value
        }

        private func enter() async {
            if free > 0 {
                free -= 1
            } else {
                await withCheckedContinuation { waiting.append($0) }
            }
        }

        private func leave() {
            if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() }
        }
    }

    struct Fault: Error, Hashable, Sendable {
        let reason: String
        /// True if the process itself ended abnormally.
        let isOfProcess: Bool

        init(_ reason: String, isOfProcess: Bool = false) {
            (self.reason, self.isOfProcess) = (reason, isOfProcess)
        }
    }

    package struct Process: Sendable {
        /// The number of bytes that are kept of the end of its output.
        package static let kept = 1 << 20

        package var executable: String
        /// Its `argv`, including its own name.
        var arguments: [String]
        var environment: [String: String]
        var limit: Int

        package init(
            executable: String = TestCommand.executable, arguments: [String], environment: [String: String], limit: Int
        ) {
            (self.executable, self.arguments) = (executable, arguments)
            (self.environment, self.limit) = (environment, limit)
        }

        /// Runs the process to its end; it is killed with its descendants at its time limit, and when this process ends.
        package func run() async -> End {
            var launch = ChildLaunch(
                executable: executable, environment: environment, directory: SystemText.workingDirectory ?? "/",
                limit: .seconds(limit))
            launch.arguments = arguments
            launch.output = .joined
            launch.complaints = .kept(Self.kept)
            let held = Mutex<HeldMemory?>(nil)
            let end = try? await launch.run(onLimit: { process in held.withLock { $0 = HeldMemory(of: process) } })
            return End(end: end, held: held.withLock { $0 }, executable: executable, limit: limit)
        }

        package struct End: Sendable {
            /// `nil` if it was killed because the test was cancelled or exceeded its own time limit.
            package var end: ProcessEnd?
            package var held: HeldMemory?
            var executable: String
            var limit: Int

            package init(end: ProcessEnd?, held: HeldMemory? = nil, executable: String, limit: Int) {
                (self.end, self.held, self.executable, self.limit) = (end, held, executable, limit)
            }

            package var output: String { end?.complaints.text ?? "" }

            /// True for the status of a test run with issues.
            package var isRed: Bool { end?.ending == .exited(1) }

            /// The problem, or `nil` if it ended as a test run does, with or without issues.
            package var fault: String? {
                switch end?.ending {
                case .exited(0), .exited(1): nil
                case .exited(let status): "it left with status \(status)"
                case .signalled(let signal): "it was ended by a signal: \(signalName(Int32(signal)))"
                case .killedAtLimit:
                    "it had not ended after \(limit) s and was killed\(held.map { "; \($0.words)" } ?? "")"
                case nil: "the test was cancelled or over its time limit, so the process was killed"
                case .notStarted(let reason): "it could not be started: \(executable): \(reason)"
                case .killedOverMemory, .wroteTooMuch: "it was killed"
                }
            }
        }
    }
}
