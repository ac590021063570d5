// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import AssetServer
import FetchBenchKit
import Foundation
import MemProbe
import TrialKit

/// What flags and suite ask for together, checked: every word is known, every number makes sense.
struct PlanRequest: Sendable {
    var suiteName: String?
    /// What a reader has to know of where the suite comes from.
    var suiteNote: String?
    var url: String?
    var assetNames: [String]
    var programs: TrialPrograms
    /// The paths of the programs that were named.
    var programPaths: [String]
    var modes: [PlannedMode]
    var models: [RenderModelDeclaration]
    var allocators: [AllocatorArm]
    var conditions: ConditionRequest
    var trials: Int
    var seed: UInt64
    var settings: TrialSettings
    var suiteTrials: Int?
    var budgets: [Budget]
    var noise: NoiseFloors

    /// Joins flags and suite, and checks them.
    /// - Throws: `ValidationError` for a word or a number, ``FetchBenchError`` for a file that cannot be read.
    init(_ options: PlanOptions, _ found: TrialPrograms) throws {
        guard !found.executables.isEmpty else { throw FetchBenchError.noTrialPrograms(remedy: found.remedy ?? "") }
        let shelved = try options.suite.map { try SuiteShelf.suite($0) }
        let suite = shelved?.suite
        suiteName = suite?.name
        suiteNote = shelved?.note
        url = try options.url.map { try Self.checkedURL($0) }
        guard url == nil || options.assets.isEmpty else {
            throw ValidationError("--url and --asset exclude each other: an asset comes from the embedded origin")
        }
        assetNames = try Self.assets(options, suite, hasURL: url != nil)
        programPaths = options.program
        let declared = try Self.modes(options, suite, url: url, among: found)
        let commands = try Self.commands(options, suite, besides: found.modes.map(\.name))
        modes = declared.map { PlannedMode($0) } + commands.map { PlannedMode($0) }
        models = try Self.models(
            options, suite, isHero: assetNames.first?.hasPrefix("hero") ?? false, among: found.renderModels)
        programs = found.puttingFirst(programOf: Self.first(of: modes))
        allocators = try Self.allocators(options, suite)
        conditions = try ConditionRequest(options.conditions, suite)
        if url != nil { try conditions.checkForeignURL() }
        trials = try Self.inRange(options.trials ?? suite?.trials ?? 10, 1...10_000, "--trials")
        seed = options.seed ?? suite?.seed ?? 1
        settings = try Self.settings(options, suite)
        settings.maximumConnections = conditions.maximumConnections
        suiteTrials = suite?.trials
        budgets = try (suite?.budgets ?? []).map { try Self.budget($0) }
        noise = suite?.noise ?? NoiseFloors()
    }

    /// The modes of a plan that names none: the question that made this comparison famous.
    private static let usualModes = ["none", "data", "download", "stream", "raw"]

    private static func budget(_ text: String) throws -> Budget {
        do throws(BudgetError) {
            return try Budget(parsing: text)
        } catch {
            throw ValidationError(SafeText.forTerminal("\(error)"))
        }
    }

    private static func checkedURL(_ text: String) throws -> String {
        guard let components = URLComponents(string: text), let scheme = components.scheme?.lowercased() else {
            throw ValidationError(
                "--url: '\(SafeText.forTerminal(RedactedURL.text(of: text)))' is no URL; give http://… or https://…")
        }
        guard ["http", "https"].contains(scheme) else {
            throw ValidationError(
                "--url: scheme '\(SafeText.forTerminal(scheme))' cannot be fetched. Choices: http, https.")
        }
        guard let host = components.host, !host.isEmpty else {
            throw ValidationError("--url: '\(SafeText.forTerminal(RedactedURL.text(of: text)))' names no host")
        }
        return text
    }

    private static func assets(_ options: PlanOptions, _ suite: SuiteFile?, hasURL: Bool) throws -> [String] {
        guard !hasURL else { return [] }
        let names = try WordList.words(of: "--asset", options.assets, orOf: suite?.assets ?? ["hero"])
        // 64KiB and 65536 are one asset.
        return WordList.words(in: try names.map { try canonicalAsset($0) })
    }

    private static func canonicalAsset(_ name: String) throws -> String {
        // An empty asset answers nothing.
        guard let canonical = AssetLibrary.canonicalName(of: name), !["0B", "text-0B"].contains(canonical) else {
            throw ValidationError(
                Suggestion.complaint(
                    about: SafeText.forTerminal(name), of: "asset",
                    choices: AssetLibrary.names + ["a size up to 1TiB such as 64MiB", "text-64MiB"]))
        }
        return canonical
    }

    private static func modes(
        _ options: PlanOptions, _ suite: SuiteFile?, url: String?, among programs: TrialPrograms
    ) throws -> [ModeDeclaration] {
        let asked = try WordList.words(of: "--mode", options.modes, orOf: suite?.modes)
        // Who names commands alone wants nothing else measured.
        if asked.isEmpty, !options.commands.isEmpty || suite?.exec != nil { return [] }
        let scheme = url.flatMap { URLComponents(string: $0)?.scheme?.lowercased() } ?? "http"
        let all = programs.modes
        guard !asked.isEmpty else {
            return all.filter { usualModes.contains($0.name) && $0.schemes.contains(scheme) }
        }
        if asked == ["all"] { return all }
        let modes = try resolve(asked, among: programs)
        if let unable = modes.first(where: { url != nil && $0.need == .sink }) {
            throw ValidationError(
                "mode \(unable.name) uploads to a sink, which only the embedded origin has; leave --url out")
        }
        if let unable = modes.first(where: { !$0.schemes.contains(scheme) }) {
            let able = all.filter { $0.schemes.contains(scheme) }.map(\.name)
            throw ValidationError(
                "mode \(unable.name) cannot fetch \(scheme). Modes that can: \(able.joined(separator: ", ")).")
        }
        return modes
    }

    /// The first mode of a plan that fetches: the null case runs in its program.
    private static func first(of modes: [PlannedMode]) -> String? {
        modes.first { $0.command == nil && $0.name != Case.nullMode }?.name
    }

    /// Other programs, in the order in which this plan needs them.
    func ordered(_ programs: TrialPrograms) -> TrialPrograms {
        programs.puttingFirst(programOf: Self.first(of: modes))
    }

    /// The modes of these names; where a program is missing, that may be why one of them is unknown.
    private static func resolve(_ names: [String], among programs: TrialPrograms) throws -> [ModeDeclaration] {
        do {
            return try WordList.resolve(names, kind: "mode", among: programs.modes, name: \.name)
        } catch let error as ValidationError {
            throw programs.remedy.map { ValidationError("\(error.message) \($0).") } ?? error
        }
    }

    static func commands(
        _ options: PlanOptions, _ suite: SuiteFile?, besides modes: [String]
    ) throws -> [ExternalCommand] {
        var names = Set(modes)
        let texts: [String] = options.commands.isEmpty ? suite?.exec ?? [] : options.commands
        return try texts.map { text in
            let command: ExternalCommand
            do throws(CommandMistake) {
                command = try ExternalCommand(parsing: text)
            } catch {
                throw ValidationError("--exec '\(SafeText.forTerminal(text))': \(error.explanation)")
            }
            guard names.insert(command.name).inserted else {
                throw ValidationError("--exec: the name '\(command.name)' is taken; give the command another one")
            }
            return command
        }
    }

    private static func models(
        _ options: PlanOptions, _ suite: SuiteFile?, isHero: Bool, among models: [RenderModelDeclaration]
    ) throws -> [RenderModelDeclaration] {
        let usual = isHero ? ["none", "imageview"] : ["none"]
        let asked = try WordList.words(of: "--render", options.renders, orOf: suite?.renders ?? usual)
        return try WordList.resolve(asked, kind: "render model", among: models, name: \.name)
    }

    private static func allocators(_ options: PlanOptions, _ suite: SuiteFile?) throws -> [AllocatorArm] {
        let usual = [AllocatorArm.glibc.rawValue]
        let asked = try WordList.words(of: "--allocator", options.allocators, orOf: suite?.allocators ?? usual)
        return try WordList.resolve(asked, kind: "allocator", among: AllocatorArm.allCases, name: \.rawValue)
    }

    private static func settings(_ options: PlanOptions, _ suite: SuiteFile?) throws -> TrialSettings {
        let rate = options.rate ?? suite?.rate ?? TransferRate.standard.text
        guard let parsed = TransferRate(parsing: rate) else {
            throw ValidationError(
                "--rate: '\(SafeText.forTerminal(rate))' is no rate; give a size a second such as 60MiB, or unlimited")
        }
        let how = options.verify ?? suite?.verify ?? Verification.sha256.rawValue
        let verification = try WordList.resolve(
            [how], kind: "way to verify", among: Verification.allCases, name: \.rawValue)
        let timeout = try inRange(options.timeout ?? suite?.timeout ?? 60, 0.1...86_400, "--timeout")
        return TrialSettings(
            verification: verification[0], rate: parsed.text, timeoutSeconds: timeout,
            memoryLimit: try memoryLimit(options, suite))
    }

    private static func memoryLimit(_ options: PlanOptions, _ suite: SuiteFile?) throws -> ByteCount? {
        guard let text = options.memoryLimit ?? suite?.memoryLimit else { return MemoryLimit.standard }
        guard let limit = ByteCount(parsing: text), limit >= .mebibytes(1) else {
            throw ValidationError(
                "--memory-limit: '\(SafeText.forTerminal(text))' is no limit; give a size from 1MiB on, such as 4GiB")
        }
        return limit
    }

    private static func inRange<Number: Comparable>(
        _ number: Number, _ range: ClosedRange<Number>, _ name: String
    ) throws -> Number {
        guard range.contains(number) else {
            throw ValidationError("\(name): \(number) is not between \(range.lowerBound) and \(range.upperBound)")
        }
        return number
    }
}
