// SPDX-License-Identifier: Apache-2.0

import CommandConsole
import Judging
import Reports

protocol FormatChoice {
    associatedtype Subject
    static var formats: [any TextRenderer<Subject>] { get }
}

enum RunFormats: FormatChoice { static let formats = Formats.ofRuns }
enum CommandFormats: FormatChoice { static let formats = Formats.ofCommands }
enum JudgementFormats: FormatChoice { static let formats = Formats.ofJudgements }
enum CostFormats: FormatChoice { static let formats = Formats.ofCosts }
enum SurvivalFormats: FormatChoice { static let formats = Formats.ofSurvival }

struct FormatOptions<Choice: FormatChoice>: ParsableArguments {
    @Option(
        name: .customLong("format"),
        help: ArgumentHelp("Output formats: \(Usage.names(of: Choice.formats)).", valueName: "formats"),
        completion: .list(Choice.formats.map { $0.name }))
    var words: [String] = ["table"]

    func validate() throws { _ = try formats }

    var formats: [any TextRenderer<Choice.Subject>] {
        get throws { try Usage.formats(words, among: Choice.formats) { $0.name } }
    }
}
