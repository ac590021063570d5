// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
package import Runs

struct ProgramQuery: Sendable {
    /// The maximum size of a description; real ones have a few kilobytes.
    private static let outputLimit = 1 << 20

    let path: String
    let variables: TrialVariables
    var allocator = AllocatorArm.glibc
    /// Where the answer may be, and is kept; `nil` to ask in any case.
    var cache: DescriptionCache?
    /// The time limit: real programs take milliseconds, but a busy or suspended machine can add seconds.
    var timeout = Duration.seconds(30)

    /// Returns the description.
    func answer() async throws -> ProgramDescription {
        do {
            try checkFile()
            return try await description()
        } catch {
            throw FetchBenchError.trialProgram(path: path, reason: "\(error)")
        }
    }

    /// Returns the description of a file that ``checkFile()`` accepts, or throws the reason why there is none.
    func description() async throws -> ProgramDescription {
        let file = FileIdentity(at: path)
        if let known = cache?.description(of: path, file) { return known }
        let ended: ProcessEnd
        do {
            ended = try await ChildLaunch(
                executable: path, name: TrialExecutable.processName, arguments: ["--describe"],
                environment: variables.environment(for: allocator, directory: "/tmp"), limit: timeout,
                outputLimit: Self.outputLimit
            ).run()
        } catch {
            throw FetchBenchError("it could not be queried: \(error)")
        }
        try check(ended.ending, complaint: ended.lastWords())
        let description = try ProgramDescription(checking: ended.output)
        // Written meanwhile, it may be another program than the one that answered.
        if FileIdentity(at: path) == file { cache?.keep(ended.output, of: path, file) }
        return description
    }

    /// Throws the reason why a file cannot be a trial program.
    func checkFile() throws {
        var information = stat()
        guard stat(path, &information) == 0 else { throw FetchBenchError("it does not exist") }
        switch information.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR: throw FetchBenchError("it is a folder")
        case S_IFIFO: throw FetchBenchError("it is a named pipe")
        default: throw FetchBenchError("it is a socket or a device")
        }
        guard access(path, X_OK) == 0 else { throw FetchBenchError("it cannot be executed") }
        guard let interpreter = Self.interpreter(of: path), access(interpreter, F_OK) != 0 else { return }
        throw FetchBenchError("its interpreter \(interpreter) does not exist")
    }

    /// Returns the interpreter in the first line of a script; `nil` for other files.
    private static func interpreter(of path: String) -> String? {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { return nil }
        defer { close(file) }
        // The kernel reads no more.
        var head = [UInt8](repeating: 0, count: 256)
        let count = read(file, &head, head.count)
        return count > 0 ? ProgramLinkage.interpreter(ofScript: Array(head[..<count])) : nil
    }

    private func check(_ ending: Ending, complaint: String) throws {
        let words = complaint.isEmpty ? "" : ": \(complaint)"
        switch ending {
        case .exited(0): return
        case .killedAtLimit: throw FetchBenchError("it did not describe itself within \(timeout)")
        case .notStarted(let reason):
            // The file itself exists.
            throw FetchBenchError(
                "it could not be started: \(reason) (wrong architecture, or a missing loader?)"
            )
        case .wroteTooMuch(let limit): throw FetchBenchError("its description has more than \(limit) bytes")
        case .exited(let status):
            throw FetchBenchError(
                "it is not a trial program: --describe exits with status \(status)\(words)")
        case .signalled(let signal):
            throw FetchBenchError(
                "--describe crashed: signal \(signal) "
                    + "(\(signalName(Int32(signal))))\(words)")
        case .killedOverMemory: throw FetchBenchError("it was killed because of its memory")
        }
    }
}

extension ProgramDescription {
    private static let longestName = 64

    /// Parses the answer of a program, which need not be one of ours.
    package init(checking output: [UInt8]) throws {
        do {
            self = try ForeignDocument.decode(ProgramDescription.self, from: output)
        } catch {
            // A newer document may have unknown words: its version says more.
            try Self.checkVersions(of: output)
            throw FetchBenchError("invalid description: \(error)")
        }
        try Self.check([protocols.lowerBound, protocols.upperBound])
        if let mistake = fieldMistakes.first { throw FetchBenchError("invalid description: \(mistake)") }
        try checkNames()
    }

    private static func checkVersions(of output: [UInt8]) throws {
        let versions: [Int]
        do {
            versions = try ForeignDocument.decode(Versions.self, from: output).protocols
        } catch {
            throw FetchBenchError("it is not a trial program (docs/trial-protocol.md): \(error)")
        }
        try check(versions)
    }

    private struct Versions: Decodable {
        var protocols: [Int]
    }

    private static func check(_ versions: [Int]) throws {
        let known = TrialRequest.understoodProtocols
        let shown = "[" + versions.prefix(3).map { String($0) }.joined(separator: ", ") + "]"
        let usage =
            "invalid description: protocols is \(shown), expected the first and the last version, from 1"
        guard versions.count == 2, versions[0] <= versions[1] else { throw FetchBenchError(usage) }
        guard versions[0] <= known.upperBound, versions[1] >= known.lowerBound else {
            throw FetchBenchError(
                "it supports versions \(versions[0]) to \(versions[1]) of the trial protocol, and fetchbench "
                    + "\(known.lowerBound) to \(known.upperBound): build both from the same commit")
        }
        guard versions[0] >= 1 else { throw FetchBenchError(usage) }
    }

    private var fieldMistakes: [DocumentMistake] {
        var fields = FieldChecks()
        for (index, model) in renderModels.enumerated() {
            for (name, value) in model.environment where !fields.isFull {
                let field = "render_models[\(index)].environment.\(DocumentMistake.shown(name))"
                if name.isEmpty || name.utf8.contains(0) || name.utf8.contains(UInt8(ascii: "=")) {
                    fields.add(field, "is an invalid variable name: it must not be empty or contain NUL or '='")
                }
                if value.utf8.contains(0) { fields.add(field, "contains NUL") }
            }
        }
        for (index, scenario) in (scenarios ?? []).enumerated() {
            fields.number(
                scenario.usualCount, "scenarios[\(index)].usual_count", from: 1,
                to: FieldChecks.Bound(ScenarioChoice.mostCount))
        }
        return fields.mistakes + FigureCheck.mistakes(in: scenarios ?? [], besides: MetricCatalog.ofEveryTrial.words)
    }

    /// Refuses names that cannot be typed, stored or distinguished, and a program without the null case.
    private func checkNames() throws {
        let names = [("mode", modes.map(\.name)), ("render model", renderModels.map(\.name))]
        for (kind, names) in names {
            var seen: Set<String> = []
            for name in names {
                guard Self.isWord(name) else {
                    throw FetchBenchError(
                        "the name of \(kind) '\(name.prefix(Self.longestName))' is invalid: expected letters, digits, "
                            + "'.', '_' and '-', but not 'all' or 'closest'")
                }
                guard seen.insert(name).inserted else {
                    throw FetchBenchError("it has two entries for \(kind) \(name)")
                }
            }
            guard seen.contains(Case.nullMode) else {
                throw FetchBenchError("\(kind) none is missing, which every plan needs")
            }
        }
        try checkScenarioNames()
    }

    private func checkScenarioNames() throws {
        var seen: Set<String> = []
        for scenario in scenarios ?? [] {
            let words = [scenario.name] + scenario.variants.map { scenario.name + ":" + $0.name }
            for word in words {
                let choice = ScenarioChoice(word)
                let isAsked = choice?.text == word && choice?.count == nil && choice?.name != ScenarioChoice.none.name
                guard isAsked, word.count <= 2 * Self.longestName else {
                    throw FetchBenchError(
                        "the name of scenario '\(DocumentMistake.shown(word))' is invalid: expected lower-case letters, "
                            + "digits and '-', beginning with a letter; a variant must not be a number")
                }
                guard seen.insert(word).inserted else {
                    throw FetchBenchError("it has two entries for scenario \(word)")
                }
            }
        }
    }

    private static func isWord(_ name: String) -> Bool {
        ![PlannedMode.allWord, PlannedMode.closestWord].contains(name) && name.count <= longestName
            && name.first.map { $0.isLetter || $0.isNumber } ?? false
            && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "._-".contains($0)) }
    }
}
