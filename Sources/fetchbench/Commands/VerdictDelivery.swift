// SPDX-License-Identifier: Apache-2.0

import CommandConsole
import Judging
import Reports

/// Delivers a verdict to the folder, the terminal and the CI service.
struct VerdictDelivery {
    let formats: [any TextRenderer<Judgement>]
    let folder: RunFolder?
    let isQuiet: Bool
    let color: ColorChoice
    var toleratesIncomparable = false

    init(formats: [any TextRenderer<Judgement>], folder: RunFolder?, isQuiet: Bool, color: ColorChoice) {
        (self.formats, self.folder, self.isQuiet, self.color) = (formats, folder, isQuiet, color)
    }

    init(options: VerdictOptions, folder: RunFolder?) throws {
        self.init(
            formats: try options.format.formats, folder: folder, isQuiet: options.run.quiet,
            color: options.run.color.color)
        toleratesIncomparable = options.tolerateIncomparable
    }

    func deliver(_ judgement: Judgement) throws {
        var judgement = judgement
        judgement.toleratesIncomparable = toleratesIncomparable
        try store(judgement)
        for format in formats {
            let text = try format.text(of: judgement)
            try format is AnnotationRenderer
                ? Console.answer(commands: text)
                : Console.answer(text, in: color.of(format.name))
        }
        try tellService(judgement)
        if let folder, !isQuiet { Console.note(resultIn: folder) }
        switch judgement.answer {
        case .within: return
        case .red: throw ExitCode.red
        case .none: throw ExitCode.noAnswer
        }
    }

    func store(_ judgement: Judgement) throws {
        guard let folder else { return }
        for format in Formats.ofJudgements {
            if let file = format.file { try folder.write(format.text(of: judgement), to: file) }
        }
    }

    /// Writes annotations, and the job summary into the file that GitHub Actions names.
    ///
    /// GitHub reads annotations from either stream; standard output is the answer, which may be JSON for a parser.
    private func tellService(_ judgement: Judgement) throws {
        if Console.isReadByGitHub, !formats.contains(where: { $0 is AnnotationRenderer }) {
            Console.note(commands: AnnotationRenderer().text(of: judgement))
        }
        let summary = try Formats.judgementMarkdown.text(of: judgement)
        if let path = HarnessContext.here.environment["GITHUB_STEP_SUMMARY"], !path.isEmpty {
            do {
                try AppendingFile(path: path, name: PathText.name(of: path)).append(summary)
            } catch {
                Console.warn("the job summary could not be written: \(error)")
            }
        }
    }
}
