// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Measuring
import Runs
import Texts

/// Suites: those of the project, which are in the binary and have names, and those in files, which have paths.
enum SuiteShelf {
    /// Where a project keeps its suites.
    private static let folder = "Benchmarks/suites"

    /// What `check` measures where nothing is named: the working project's own suite of that name, or ours.
    static var check: String {
        let own = path(of: "check")
        return FileManager.default.fileExists(atPath: own) ? own : "check"
    }

    /// The suite of a name or of a path.
    /// - Returns: what it asks for, and what a reader has to know of where it comes from.
    /// - Throws: `ValidationError` for what is no suite.
    static func suite(_ word: String) throws -> (suite: SuiteFile, note: String?) {
        let isPath = word.contains("/") || [".yml", ".yaml"].contains { word.hasSuffix($0) }
        if !isPath, let embedded = EmbeddedSuites.all.first(where: { $0.name == word }) {
            return (try parsed(embedded.yaml, name: word), note(about: embedded))
        }
        guard let data = FileManager.default.contents(atPath: word) else {
            let safe = SafeText.forTerminal(word)
            throw ValidationError(
                isPath
                    ? "suite \(safe) cannot be read; `fetchbench list suites` names those that need no file"
                    : Suggestion.complaint(about: safe, of: "suite", choices: EmbeddedSuites.all.map(\.name))
                        + " A file's path has a '/' in it or ends with .yml.")
        }
        return (try parsed(String(decoding: data, as: UTF8.self), name: PathText.name(of: word)), nil)
    }

    /// Each suite with the question it answers, or what is wrong with its file: those of the binary, then the files of
    /// the working folder's project that are others.
    static func listed() -> [(name: String, description: String)] {
        let files = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).filter {
            $0.hasSuffix(".yml")
        }
        let others = files.sorted().compactMap { file -> (name: String, description: String)? in
            let name = String(file.dropLast(".yml".count))
            let embedded = EmbeddedSuites.all.first { $0.name == name }
            guard embedded.map(isSame) != true else { return nil }
            let text = text(of: name) ?? ""
            let remark = embedded == nil ? "" : " (another one than \(name))"
            return (path(of: name), description(of: text, name: file) + remark)
        }
        return EmbeddedSuites.all.map { ($0.name, description(of: $0.yaml, name: $0.name)) } + others
    }

    private static func path(of name: String) -> String { folder + "/" + name + ".yml" }

    private static func text(of name: String) -> String? {
        FileManager.default.contents(atPath: path(of: name)).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Whether the working project has this very suite.
    private static func isSame(_ embedded: (name: String, yaml: String)) -> Bool {
        text(of: embedded.name) == embedded.yaml + "\n"
    }

    /// Which one is used, where the working project has another one of that name.
    private static func note(about embedded: (name: String, yaml: String)) -> String? {
        guard text(of: embedded.name) != nil, !isSame(embedded) else { return nil }
        let path = path(of: embedded.name)
        return "suite \(embedded.name) is the one in this program; "
            + "\(path) is another one, which --suite \(path) measures"
    }

    private static func parsed(_ yaml: String, name: String) throws -> SuiteFile {
        do {
            return try SuiteFile(parsing: yaml, fileName: name)
        } catch {
            throw ValidationError(SafeText.forTerminal(error.explanation))
        }
    }

    private static func description(of yaml: String, name: String) -> String {
        do throws(FetchBenchError) {
            let suite = try SuiteFile(parsing: yaml, fileName: name)
            return SafeText.forTerminal(suite.description ?? suite.name)
        } catch {
            return SafeText.forTerminal(error.explanation)
        }
    }
}
