// SPDX-License-Identifier: Apache-2.0

import Foundation
package import Measuring
package import Origin
import OriginTLS
import ProbeProtocol
import Runs
import Synchronization

/// Tries promises, each attempt in a child process with its own origin and folder.
package struct BehaviourRunner: Sendable {
    private let executable: String
    private let variables: TrialVariables
    private let library: AssetLibrary
    private let directory: String

    /// - Parameters:
    ///   - executable: The probes' program.
    ///   - directory: The parent of the children's folders, which the caller removes.
    package init(executable: String, variables: TrialVariables, library: AssetLibrary, directory: String) {
        (self.executable, self.variables, self.library) = (executable, variables, library)
        self.directory = directory
    }

    /// Makes all attempts at one promise; returns `nil` if the task was cancelled meanwhile.
    ///
    /// An error of the harness becomes the reason why the promise was not tried, so that others still are. The attempts
    /// run at the same time, because they mostly wait.
    package func evidence(for behaviour: Behaviour) async -> [Evidence]? {
        let attempts = await withTaskGroup(of: Evidence.self) { group in
            for number in 1...behaviour.attempts {
                let folder = behaviour.attempts == 1 ? behaviour.name : "\(behaviour.name)-\(number)"
                group.addTask { await evidence(for: behaviour, folder: folder) }
            }
            return await group.reduce(into: [Evidence]()) { $0.append($1) }
        }
        // A child that was killed by the cancellation is no evidence.
        return Task.isCancelled ? nil : attempts
    }

    private func evidence(for behaviour: Behaviour, folder: String) async -> Evidence {
        do {
            return try await attempt(behaviour, place: directory + "/" + folder)
        } catch {
            return Evidence(ending: .notStarted(reason(error)))
        }
    }

    private func reason(_ error: any Error) -> String {
        let words: String
        if let error = error as? CocoaError {
            let cause = error.userInfo[NSUnderlyingErrorKey] as? POSIXError
            words = "a file could not be made or read, error \(cause.map { Int($0.errorCode) } ?? error.errorCode)"
        } else {
            words = "\(error)".replacingOccurrences(of: directory, with: "…")
        }
        return "the harness failed: \(words)"
    }

    private func attempt(_ behaviour: Behaviour, place: String) async throws -> Evidence {
        let folder = place + "/tmp"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: place) }
        switch behaviour.attempt {
        case .probe(let name): return try await probe(name, of: behaviour, place: place, folder: folder)
        case .snippet(let snippet): return try await compile(snippet, behaviour.limit, place: place)
        }
    }

    private func probe(
        _ name: String, of behaviour: Behaviour, place: String, folder: String
    ) async throws -> Evidence {
        try await withOrigin(overTLS: behaviour.isOverTLS) { origin in
            var arguments = [name, origin.baseURL, folder]
            if let secure = origin.secureBaseURL, let authority = origin.certificateAuthorityPEM {
                let path = place + "/authority.pem"
                try WholeFile.write(authority, to: path, name: "the authority's certificate")
                arguments += [secure, path]
            }
            let proxy = behaviour.isProxied ? ["http_proxy": origin.baseURL, "no_proxy": "127.0.0.1"] : [:]
            let environment = variables.environment(for: .glibc, directory: folder).merging(proxy) { $1 }
            return try await probe(arguments, environment, behaviour.limit, folder: folder, origin: origin)
        }
    }

    private func withOrigin<Result>(
        overTLS: Bool = false, _ work: (OriginServer) async throws -> Result
    ) async throws -> Result {
        let origin = try await OriginServer.start(
            OriginConfiguration(
                rate: .unlimited, library: library, security: overTLS ? .made(offeringHTTP2: false) : nil))
        do {
            let result = try await work(origin)
            // The result is complete even if the origin fails to stop.
            try? await origin.stop()
            return result
        } catch {
            try? await origin.stop()
            throw error
        }
    }

    private func probe(
        _ arguments: [String], _ environment: [String: String], _ limit: Duration, folder: String, origin: OriginServer
    ) async throws -> Evidence {
        let child = ChildLaunch(
            executable: executable, arguments: arguments, environment: environment, directory: folder, limit: limit)
        let seen = Mutex((facts: [Fact](), marks: [Reading]()))
        let end = try await child.converse { line, process in
            switch ProbeLine(parsing: line) {
            case .fact(let fact):
                seen.withLock { $0.facts.append(fact) }
                return false
            case .mark(let mark, let settles):
                let reader = KernelReader(process: process, directory: folder, origin: origin)
                if let reading = try await reader.reading(at: mark, settles: settles) {
                    seen.withLock { $0.marks.append(reading) }
                }
                return true
            case nil: return false
            }
        }
        // The origin notices that its client is gone a moment after the kernel.
        try await Task.sleep(for: .milliseconds(50))
        let (facts, marks) = seen.withLock { $0 }
        return Evidence(
            requests: origin.requests(), marks: marks, files: KernelReader.files(in: folder), facts: facts,
            ending: end.ending, complaint: end.shortComplaint, duration: end.nanoseconds)
    }

    private func compile(_ snippet: Behaviour.Snippet, _ limit: Duration, place: String) async throws -> Evidence {
        let compiler = try await self.compiler(place: place, limit)
        if let obstacle = compiler.obstacle {
            return Evidence(ending: .notStarted(obstacle), compiler: compiler.version)
        }
        try WholeFile.write(snippet.source, to: place + "/snippet.swift", name: "a snippet")
        let end = try await compiler.run(["-typecheck", place + "/snippet.swift"], limit)
        return Evidence(
            ending: end.ending, complaint: end.shortComplaint, duration: end.nanoseconds, compiler: compiler.version)
    }

    private func compiler(place: String, _ limit: Duration) async throws -> Compiler {
        try await Compiler(
            environment: variables.environment(for: .glibc, directory: place + "/tmp", isCommand: true),
            directory: place + "/tmp", modules: directory + "/modules", limit: limit)
    }

    private static let compilation = Duration.seconds(120)

    /// Compiles the minimal program of a behaviour, and runs it with an origin of its own until it shows the fault, as
    /// often as the behaviour is tried: chance may decide.
    ///
    /// An error of the harness becomes the reason why the program was not started.
    package func run(_ program: MinimalProgram, of behaviour: Behaviour) async -> ProgramRun {
        let place = "\(directory)/\(program.row)-program"
        do {
            try FileManager.default.createDirectory(atPath: place + "/tmp", withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(atPath: place) }
            let compiler = try await self.compiler(place: place, Self.compilation)
            if let obstacle = compiler.obstacle { return ProgramRun(ending: .notStarted(obstacle)) }
            try WholeFile.write(program.source, to: place + "/program.swift", name: "a program")
            let end = try await compiler.run(
                ["-O", "-o", place + "/program", place + "/program.swift"], Self.compilation)
            guard end.ending == .exited(0) else {
                return ProgramRun(ending: .notStarted("it does not compile: \(end.shortComplaint)"))
            }
            var seen: ProgramRun
            var left = behaviour.attempts
            repeat {
                seen = try await withOrigin(overTLS: program.isOverTLS) {
                    try await run(place, behaviour.limit, origin: $0)
                }
                left -= 1
            } while !seen.showsFault && left > 0 && !Task.isCancelled
            seen.compiler = compiler.version
            return seen
        } catch {
            return ProgramRun(ending: .notStarted(reason(error)))
        }
    }

    private func run(_ place: String, _ limit: Duration, origin: OriginServer) async throws -> ProgramRun {
        let child = ChildLaunch(
            executable: place + "/program", arguments: [origin.baseURL] + (origin.secureBaseURL.map { [$0] } ?? []),
            environment: variables.environment(for: .glibc, directory: place + "/tmp"), directory: place + "/tmp",
            limit: limit)
        let lines = Mutex<[String]>([])
        let end = try await child.converse { line, _ in
            lines.withLock { $0.append(line) }
            return false
        }
        return ProgramRun(
            output: lines.withLock { $0 }, ending: end.ending, complaint: end.shortComplaint,
            requests: origin.requests(), duration: end.nanoseconds)
    }
}

extension ProcessEnd {
    /// The reason that a probe or a compiler gave on standard error.
    fileprivate var shortComplaint: String {
        // The compiler's own errors come before its notes.
        let error = complaints.text.split(separator: "\n").lazy.compactMap { line in
            line.range(of: ": error: ").map { String(line[$0.upperBound...]) }
        }.first
        return String((error ?? lastWords()).prefix(200))
    }
}
