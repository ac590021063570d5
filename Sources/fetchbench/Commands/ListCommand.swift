// SPDX-License-Identifier: Apache-2.0

import CommandConsole
import Origin
import Profiles
import Reports

struct ListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract:
            "List modes, render models, scenarios, loaders, allocators, assets, dimensions, suites, metrics and formats."
    )

    @Argument(
        help: ArgumentHelp(
            "\(ListTopic.allCases.map(\.rawValue).joined(separator: ", ")); (default: all).", valueName: "topics"),
        completion: .list(ListTopic.allCases.map(\.rawValue)))
    var topics: [String] = []

    @Option(
        help: ArgumentHelp("Additional trial program; repeatable (default: none).", valueName: "path"),
        completion: .file())
    var program: [String] = []

    @Flag(help: "Print only names, one per line.")
    var names = false

    func validate() throws { _ = try chosen() }

    func run() async throws {
        let topics = try chosen()
        let programs = try await programs(for: topics)
        if names {
            let names = topics.flatMap { entries(of: $0, in: programs).map(\.name) }
            return try Console.answer(names.filter { !$0.isEmpty && !$0.contains(" ") }.map { $0 + "\n" }.joined())
        }
        let texts = topics.map { topic in
            let lines = entries(of: topic, in: programs)
            let width = lines.map(\.name.count).max() ?? 0
            return topic.rawValue + ":\n"
                + lines.map { line in
                    "  " + line.name + String(repeating: " ", count: width - line.name.count) + "  " + line.text + "\n"
                }.joined()
        }
        try Console.answer(texts.joined(separator: "\n"))
    }

    private func chosen() throws -> [ListTopic] {
        guard !topics.isEmpty else { return ListTopic.allCases }
        return try Usage.checked {
            try WordList.resolve(topics, kind: "topic", among: ListTopic.allCases, name: \.rawValue)
        }
    }

    private func programs(for topics: [ListTopic]) async throws -> TrialPrograms {
        guard topics.contains(where: { [.modes, .renders, .scenarios, .loaders, .metrics].contains($0) }) else {
            return TrialPrograms(executables: [])
        }
        let programs = try await HarnessContext.here.announcedPrograms(named: program)
        if let remedy = programs.remedy { Console.warn(remedy) }
        return programs
    }

    private func entries(of topic: ListTopic, in programs: TrialPrograms) -> [(name: String, text: String)] {
        switch topic {
        case .modes:
            programs.modes.map { mode in
                (
                    mode.name,
                    Self.safe(mode.summary + (mode.caveat.map { " — \($0)" } ?? "")) + owner(of: mode, in: programs)
                )
            }
        case .renders: programs.renderModels.map { ($0.name, Self.safe($0.summary)) }
        case .scenarios:
            programs.scenarios.flatMap(Self.entries(of:)).map { ($0.name, Self.safe($0.text)) }
        case .loaders:
            Self.loaders(of: programs.scenarios).map { (Self.safe($0.name), Self.safe($0.text)) }
        case .allocators: AllocatorArm.allCases.map { ($0.rawValue, $0.summary) }
        case .assets: AssetSummaries.all
        case .suites: SuiteShelf.listed().map { ($0.name, $0.description) }
        case .metrics:
            MetricCatalog(programs.scenarios).all.map {
                ($0.name, Self.safe("\($0.shortName): \($0.summary)\(Self.remark(on: $0.direction))"))
            }
        case .dimensions:
            Dimension.all.map { ("--" + $0.flag, "\($0.help) In suites: \($0.suiteKey).") }
        case .formats:
            Formats.ofRuns.map { ($0.name, "of runs: \($0.summary)") }
                + Formats.ofJudgements.map { ($0.name, "of judgements: \($0.summary)") }
                + Formats.ofCalibrations.map { ($0.name, "of calibrations: \($0.summary)") }
                + Formats.ofCosts.map { ($0.name, "of costs: \($0.summary)") }
                + Formats.ofSurvival.map { ($0.name, "of survive: \($0.summary)") }
                + ProfileFormats.all.map { ($0.name, "of explanations: \($0.summary)") }
        }
    }

    private func owner(of mode: ModeDeclaration, in programs: TrialPrograms) -> String {
        guard
            let owner = programs.executables.prefix(program.count).first(where: {
                $0.description.modes.contains { $0.name == mode.name }
            })
        else { return "" }
        return " (\(Self.safe(owner.name)))"
    }

    /// Escapes a text that a trial program declares: it is external input.
    private static func safe(_ text: String) -> String { SafeText.forTerminal(text) }

    private static func entries(of scenario: ScenarioDeclaration) -> [(name: String, text: String)] {
        let count = scenario.usualCount.map {
            "; \($0) times by default; for another count: \(scenario.name):\($0 * 5)"
        }
        let asset = scenario.usualAsset.map { "; asset \($0) by default" }
        return [(scenario.name, scenario.summary + (count ?? "") + (asset ?? ""))]
            + scenario.variants.map { variant in
                ("\(scenario.name):\(variant.name)", (variant.isControl ? "control: " : "") + variant.summary)
            }
    }

    /// The loaders' policies, each followed by its figures with their sources.
    private static func loaders(of scenarios: [ScenarioDeclaration]) -> [(name: String, text: String)] {
        scenarios.loaders.flatMap { loader in
            [(loader.name, "\(loader.title); transfers with the mode given by --mode; closest: \(loader.closestMode)")]
                + loader.figures.map { ("", "  " + $0) }
        }
    }

    private static func remark(on direction: Metric.Direction) -> String {
        switch direction {
        case .lower: ""
        case .higher: "; higher is better"
        case .neither: "; neither good nor bad"
        }
    }
}
