// SPDX-License-Identifier: Apache-2.0

import Judging
import Measuring
import OperatingSystem
import Reports
import Runs

/// Brings a verdict to everybody who waits for it: the folder, the terminal, the CI service around it.
struct VerdictDelivery {
    let options: VerdictOptions
    /// Where the files go, or `nil` where nothing was measured.
    let folder: RunFolder?

    /// Delivers, and ends with the status that the verdict asks for.
    func deliver(_ judgement: Judgement) throws {
        var judgement = judgement
        judgement.toleratesIncomparable = options.tolerateIncomparable
        try store(judgement)
        for format in try options.formats() {
            let text = try format.text(of: judgement)
            try format is AnnotationRenderer ? Console.answer(commands: text) : Console.answer(text)
        }
        try tellService(judgement)
        if let folder, !options.quiet { Console.note("stored in \(folder.path)") }
        switch judgement.answer {
        case .within: return
        case .red: throw ExitStatus.red
        case .none: throw ExitStatus.noAnswer
        }
    }

    /// Writes the files of a judgement, where something was measured.
    func store(_ judgement: Judgement) throws {
        guard let folder else { return }
        for format in Formats.ofJudgements {
            if let file = format.file { try folder.write(format.text(of: judgement), to: file) }
        }
    }

    /// GitHub Actions reads annotations from either stream and the summary from a file that it names.
    ///
    /// They go to standard error: the answer on standard output may be JSON that somebody parses.
    private func tellService(_ judgement: Judgement) throws {
        if Console.isReadByGitHub, !(try options.formats().contains { $0 is AnnotationRenderer }) {
            Console.note(commands: AnnotationRenderer().text(of: judgement))
        }
        let summary = JudgementMarkdownRenderer().text(of: judgement)
        if let path = HarnessContext.here.environment["GITHUB_STEP_SUMMARY"], !path.isEmpty {
            do throws(FileFailure) {
                try TextAppender.append(summary, to: path)
            } catch {
                Console.warn("the job summary could not be written: \(FetchBenchError.file(error).explanation)")
            }
        }
    }
}
