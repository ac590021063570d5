// SPDX-License-Identifier: Apache-2.0

import CommandConsole
import Foundation
import Suites

/// Finds suites: those of the project by name, which are in the binary, and files by path.
enum SuiteShelf {
    private static let folder = "Benchmarks/suites"

    /// The default suite of `check`: the working project's own one of that name, or the embedded one.
    static var check: String {
        let own = path(of: "check")
        return FileManager.default.fileExists(atPath: own) ? own : "check"
    }

    /// Returns the suite of a name or path, with a note if the working project has another one of that name.
    static func suite(_ word: String) throws -> (suite: SuiteFile, note: String?) {
        let isPath = word.contains("/") || [".yml", ".yaml"].contains { word.hasSuffix($0) }
        if !isPath, let embedded = EmbeddedSuites.all.first(where: { $0.name == word }) {
            return (try parsed(embedded.yaml, name: word), note(about: embedded))
        }
        let safe = SafeText.forTerminal(word)
        guard let data = try? WholeFile.data(at: word, name: safe, allowsPipe: true) else {
            throw ValidationError(
                isPath
                    ? "suite \(safe) cannot be read; see `fetchbench list suites` for those built in"
                    : Suggestion.complaint(
                        about: safe, of: "suite", choices: EmbeddedSuites.all.map(\.name), listedBy: "list suites")
                        + " The path of a file must contain '/' or end with .yml.")
        }
        return (try parsed(String(decoding: data, as: UTF8.self), name: PathText.name(of: word)), nil)
    }

    /// Each suite with its description or the error in its file: the embedded ones, then those of the working folder's
    /// project that differ.
    static func listed() -> [(name: String, description: String)] {
        let files = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).filter {
            $0.hasSuffix(".yml")
        }
        let others = files.sorted().compactMap { file -> (name: String, description: String)? in
            let name = String(file.dropLast(".yml".count))
            let embedded = EmbeddedSuites.all.first { $0.name == name }
            guard embedded.map(isSame) != true else { return nil }
            let text = text(of: name) ?? ""
            let remark = embedded == nil ? "" : " (differs from \(name))"
            return (path(of: name), description(of: text, name: file) + remark)
        }
        return EmbeddedSuites.all.map { ($0.name, description(of: $0.yaml, name: $0.name)) } + others
    }

    private static func path(of name: String) -> String { folder + "/" + name + ".yml" }

    private static func text(of name: String) -> String? {
        (try? WholeFile.data(at: path(of: name), name: name)).map { String(decoding: $0, as: UTF8.self) }
    }

    private static func isSame(_ embedded: (name: String, yaml: String)) -> Bool {
        text(of: embedded.name) == embedded.yaml
    }

    private static func note(about embedded: (name: String, yaml: String)) -> String? {
        guard text(of: embedded.name) != nil, !isSame(embedded) else { return nil }
        let path = path(of: embedded.name)
        return "using the built-in suite \(embedded.name); "
            + "\(path) differs: use it with --suite \(path)"
    }

    private static func parsed(_ yaml: String, name: String) throws -> SuiteFile {
        do {
            return try SuiteFile(parsing: yaml, fileName: name)
        } catch {
            throw ValidationError(SafeText.forTerminal("\(error)"))
        }
    }

    private static func description(of yaml: String, name: String) -> String {
        do {
            let suite = try SuiteFile(parsing: yaml, fileName: name)
            return SafeText.forTerminal(suite.description ?? suite.name)
        } catch {
            return SafeText.forTerminal("\(error)")
        }
    }
}
