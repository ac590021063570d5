// SPDX-License-Identifier: Apache-2.0

import FetchBenchKit
import Foundation

/// Brings a verdict to everybody who waits for it: the folder, the terminal, the CI service around it.
struct VerdictDelivery {
    let options: VerdictOptions
    /// Where the files go, or `nil` where nothing was measured.
    let folder: RunFolder?

    /// Delivers, and ends with the status that the verdict asks for.
    func deliver(_ judgement: Judgement) throws {
        if let folder {
            try folder.write(text(of: judgement, as: .json), to: .judgement)
            try folder.write(text(of: judgement, as: .markdown), to: .judgementReport)
            try folder.write(text(of: judgement, as: .junit), to: .junit)
        }
        for format in try options.formats() { try Console.answer(text(of: judgement, as: format)) }
        try tellService(judgement)
        if let folder, !options.quiet { Console.note("stored in \(folder.path)") }
        switch judgement.answer(toleratingIncomparable: options.tolerateIncomparable) {
        case .within: return
        case .red: throw ExitStatus.red
        case .none: throw ExitStatus.noAnswer
        }
    }

    private func text(of judgement: Judgement, as format: VerdictFormat) -> String {
        format.text(of: judgement, isTolerant: options.tolerateIncomparable)
    }

    /// GitHub Actions reads annotations from either stream and the summary from a file that it names.
    ///
    /// They go to standard error: the answer on standard output may be JSON that somebody parses.
    private func tellService(_ judgement: Judgement) throws {
        let environment = ProcessInfo.processInfo.environment
        if environment["GITHUB_ACTIONS"] == "true", !(try options.formats().contains(.annotations)) {
            Console.note(text(of: judgement, as: .annotations))
        }
        if let path = environment["GITHUB_STEP_SUMMARY"], !path.isEmpty {
            do throws(FetchBenchError) {
                try TextAppender.append(text(of: judgement, as: .markdown), to: path)
            } catch {
                Console.warn("the job summary could not be written: \(error.explanation)")
            }
        }
    }
}
