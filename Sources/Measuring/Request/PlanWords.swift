// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Hashing
package import Runs

package struct PlanWords: Hashable, Sendable {
    /// The lists of words that a plan is made of, in the order of printed commands: each is a flag and a key of suites.
    package enum List: String, CaseIterable, Sendable {
        case assets, modes
        /// Commands measured like modes, as `NAME=command`; plain ones if without `{url}`.
        case exec
        /// Servers, as `NAME=METHOD /path : command with {port}`.
        case servers
        /// The parameters of commands without `{url}`, as `NAME=VALUE,VALUE`.
        case parameters
        /// The paths of trial programs beside this project's own, from the working folder.
        case programs
        case renders, allocators, budgets

        package var flag: String {
            switch self {
            case .assets: "--asset"
            case .modes: "--mode"
            case .exec: "--exec"
            case .servers: "--server"
            case .parameters: "--parameter-list"
            case .programs: "--program"
            case .renders: "--render"
            case .allocators: "--allocator"
            case .budgets: "--budget"
            }
        }

        /// True if each value has a flag of its own; others are joined by commas.
        var isRepeated: Bool { [.exec, .servers, .parameters, .programs, .budgets].contains(self) }
        var isOfFetch: Bool { self == .assets || self == .renders }
    }

    package var url: String?
    /// True for a URL in its canonical spelling that begins with `https:`.
    var isOverTLS: Bool { url.map(TargetURL.isOverTLS) == true }
    package var request = RequestWords()
    package var suite: SuiteFile?
    /// The lists of the command line, which take precedence over those of the suite.
    package var lists: [List: [String]] = [:]
    package var conditions: [String: [String]] = [:]
    package var settings: [String: String] = [:]
    package var plainCommands: [ExternalCommand] = []
    package var commandSettings = CommandSettings()

    package init() {}

    package subscript(list: List) -> [String] {
        get { lists[list] ?? [] }
        set { lists[list] = newValue }
    }

    package func given(_ list: List) -> [String] { self[list].isEmpty ? suite?.lists[list] ?? [] : self[list] }

    /// The words of a list that is separated by commas, each once.
    func words(of list: List, usual: [String] = []) throws -> [String] {
        try WordList.words(of: list.flag, self[list], orOf: suite?.lists[list] ?? usual)
    }

    /// Parses the commands that are measured like modes; `modes` are names that they cannot have.
    package func externalCommands(besides modes: [String]) throws -> [ExternalCommand] {
        var names = Set(modes)
        var found = plainCommands
        for list in [List.exec, .servers] {
            for text in given(list) {
                let command: ExternalCommand
                do {
                    command =
                        list == .exec
                        ? try ExternalCommand(parsing: text) : try ExternalCommand(parsingServer: text)
                } catch {
                    let shown = RedactedCommand(folders: [:]).text(text)
                    throw FetchBenchError(usage: "\(list.flag) '\(SafeText.ofCommand(shown))': \(error)")
                }
                guard names.insert(command.name).inserted else {
                    throw FetchBenchError(
                        usage: "\(list.flag): the name '\(command.name)' is taken; give the command another one")
                }
                found.append(command)
            }
        }
        return found
    }
}

extension PlanWords {
    /// The modes by name, if each is given; `nil` if which ones are measured depends on what there is.
    package var namedModes: [String]? {
        let names = (try? words(of: .modes)) ?? []
        let fetching = names.filter { $0 != Case.nullMode }
        return fetching.isEmpty ? nil : fetching
    }

    package func isPlain() throws -> Bool {
        let commands = try externalCommands(besides: [])
        return given(.modes).isEmpty && self[.programs].isEmpty && !commands.isEmpty
            && !commands.contains(where: \.fetches)
    }

    /// Refuses flags and suite keys of fetches for plain commands, which have no asset, renderer or conditions.
    func checkNothingOfAFetch(with commands: [ExternalCommand]) throws {
        let subjects = Set(commands.map { $0.server == nil ? PlannedSubject.command : .server })
        guard let command = commands.first, let word = flagOfAFetch(for: subjects) ?? keyOfAFetch(for: subjects) else {
            return
        }
        guard command.server == nil else {
            throw FetchBenchError(
                usage: "\(word) does not apply to server \(command.name), which fetches nothing: omit it")
        }
        let name = SafeText.ofCommand(command.name)
        throw FetchBenchError(
            usage:
                "\(word) does not apply to command \(name), which has no {url} and fetches nothing. Omit \(word), or add {url} "
                + "to the command; its budgets are written '\(name): peak <= 200 MiB'")
    }

    private func flagOfAFetch(for subjects: Set<PlannedSubject>) -> String? {
        let list = List.allCases.first { $0.isOfFetch && !self[$0].isEmpty }?.flag
        let setting = Setting.all.first { !$0.applies(to: subjects) && settings[$0.flag] != nil }.map { "--" + $0.flag }
        let dimension = Dimension.all.first {
            $0.subjects.isDisjoint(with: subjects) && !(conditions[$0.flag] ?? []).isEmpty
        }
        let condition = dimension.map { "--" + $0.flag }
        let request = request.isEmpty || subjects.contains(.server) ? nil : "--header"
        return list ?? (url == nil ? nil : "--url") ?? setting ?? condition ?? request
    }

    /// The first key of the suite that only applies to fetches.
    private func keyOfAFetch(for subjects: Set<PlannedSubject>) -> String? {
        guard let suite else { return nil }
        let list = List.allCases.first { $0.isOfFetch && suite.lists[$0] != nil }?.rawValue
        let setting = Setting.all.first { !$0.applies(to: subjects) && suite.settings[$0.suiteKey] != nil }?.suiteKey
        let condition = Dimension.all.first {
            $0.subjects.isDisjoint(with: subjects) && suite.conditions[$0.suiteKey] != nil
        }?.suiteKey
        return (list ?? setting ?? condition).map { "the suite's key '\($0)'" }
    }
}

package struct RequestWords: Hashable, Sendable {
    /// Header fields as `Name: value`, or `@FILE` for a file with one in each line.
    package var headers: [String] = []
    package var method: String?
    package var body: String?
    /// True if the server is asked what it sends before the first trial.
    package var asksFirst = true

    /// The maximum size of a body, which is in memory while it is sent; modes that upload take larger ones.
    private static let longestBody = 64 << 20
    /// The maximum size of headers: servers refuse larger ones, and a trial's request could not hold them.
    private static let longestHeaders = 32 << 10

    package init() {}

    package var isEmpty: Bool { self == RequestWords() }

    /// Returns the validated details with their files read; `nil` if they equal a plain request.
    /// - Throws: ``FetchBenchError``, which contains no value of a header.
    package func details(for url: String?, asksServer: Bool = false) throws -> RequestDetails? {
        guard !isEmpty else { return nil }
        guard url != nil || asksServer && method == nil && body == nil && asksFirst else {
            throw FetchBenchError(usage: "--header, --request-method, --body and --no-reference need --url")
        }
        let method = try self.method.map { text in try HeaderText.method(parsing: text) }
        guard body == nil || method != "GET" else {
            throw FetchBenchError(usage: "--body cannot be combined with --request-method GET; use POST or PUT")
        }
        var details = RequestDetails(fields: try fields(), method: method ?? (body == nil ? "GET" : "POST"))
        if let body { details.body = try Self.body(at: body) }
        guard details != RequestDetails() else { return nil }
        let authorizes = details.fields.contains { $0.name.lowercased() == "authorization" }
        if authorizes, let url, URLComponents(string: url)?.user != nil {
            throw FetchBenchError(usage: "--header: Authorization cannot be combined with a user in --url")
        }
        return details
    }

    private func fields() throws -> [RequestDetails.Field] {
        var fields: [RequestDetails.Field] = []
        for (index, text) in headers.enumerated() {
            guard text.hasPrefix("@") else {
                fields.append(try HeaderText.field(parsing: text, at: "--header \(index + 1)"))
                continue
            }
            let path = String(text.dropFirst())
            let content = try Self.read(path, upTo: Self.longestHeaders, flag: "--header")
            fields += try HeaderText.fields(
                inFile: String(decoding: content, as: UTF8.self), named: SafeText.forTerminal(path))
        }
        var names: Set<String> = []
        for field in fields where !names.insert(field.name.lowercased()).inserted {
            throw FetchBenchError(
                usage: "--header: \(field.name) is given twice; join its values with commas in one header")
        }
        guard fields.reduce(0, { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }) <= Self.longestHeaders else {
            throw FetchBenchError(
                usage: "--header: the headers exceed \(Self.longestHeaders / 1024) KiB in total; remove some")
        }
        return fields
    }

    private static func body(at path: String) throws -> RequestDetails.Body {
        guard path != RequestOutline.Mark.text else {
            throw FetchBenchError(
                usage: "--body: '\(path)' is a placeholder for a path that is not stored; give the file")
        }
        var information = stat()
        // Each trial reads it again; a pipe can be read only once.
        guard stat(path, &information) != 0 || information.st_mode & S_IFMT == S_IFREG else {
            throw FetchBenchError(
                usage: "--body must be a regular file, because each trial reads it again: \(SafeText.forTerminal(path))"
            )
        }
        let content = try read(path, upTo: longestBody, flag: "--body")
        var hash = SHA256()
        content.withUnsafeBytes { hash.update($0) }
        let absolute = URL(fileURLWithPath: path).path
        return RequestDetails.Body(path: absolute, byteCount: content.count, sha256: hash.hexadecimal())
    }

    private static func read(_ path: String, upTo limit: Int, flag: String) throws -> Data {
        let name = SafeText.forTerminal(path)
        do {
            return try WholeFile.data(at: path, name: name, upTo: limit, allowsPipe: true)
        } catch let error as FetchBenchError {
            let size = ByteText.mebibytes(Double(limit))
            throw FetchBenchError(
                usage: error.errno == EFBIG
                    ? "\(flag): \(name) has more than \(size), the limit of a file held in memory"
                    : "\(flag): \(error.message)")
        }
    }
}
