// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FetchBenchKit

/// How a verdict can be printed.
enum VerdictFormat: String, CaseIterable {
    case table, markdown, junit, annotations, json, bencher
    case smallerIsBetter = "smaller-is-better"
    case openMetrics = "openmetrics"

    /// The verdict in this format.
    /// - Parameter isTolerant: whether what cannot be compared is no failure.
    func text(of judgement: Judgement, isTolerant: Bool) -> String {
        switch self {
        case .table: JudgementTerminalRenderer(toleratingIncomparable: isTolerant).text(of: judgement)
        case .markdown: JudgementMarkdownRenderer(toleratingIncomparable: isTolerant).text(of: judgement)
        case .junit: JUnitRenderer(toleratingIncomparable: isTolerant).text(of: judgement)
        case .annotations: AnnotationRenderer(toleratingIncomparable: isTolerant).text(of: judgement)
        case .json: JudgementJSONRenderer(toleratingIncomparable: isTolerant).text(of: judgement)
        case .bencher: BencherRenderer().text(of: judgement)
        case .smallerIsBetter: SmallerIsBetterRenderer().text(of: judgement)
        case .openMetrics: OpenMetricsRenderer(toleratingIncomparable: isTolerant).text(of: judgement)
        }
    }
}

/// The flags of every command that judges.
struct VerdictOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "What to print: table, markdown, junit, annotations, json, bencher, smaller-is-better, openmetrics.",
            valueName: "formats"))
    var format: [String] = ["table"]

    @Flag(help: "A finding that cannot be compared is said and does not fail.")
    var tolerateIncomparable = false

    @Option(help: ArgumentHelp("The folder in which the folder of this measurement is made.", valueName: "folder"))
    var output = "results"

    @Option(help: ArgumentHelp("A name for this machine, stored with the measurement.", valueName: "name"))
    var label: String?

    @Flag(help: "Print nothing but the verdict and errors.")
    var quiet = false

    func validate() throws {
        _ = try formats()
    }

    /// The formats, in the order given.
    func formats() throws -> [VerdictFormat] {
        try WordList.resolve(
            WordList.words(in: format), kind: "format", among: VerdictFormat.allCases, name: \.rawValue)
    }
}
