// SPDX-License-Identifier: Apache-2.0

import CommandConsole
import Foundation

/// `fetchbench init`: writes a first suite with budgets, and a workflow that judges it, into a repository.
struct InitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Write a first suite with budgets, and a CI workflow that checks it.",
        discussion: """
            fetchbench init --exec 'sort=sort big.txt'
            fetchbench init --server 'get=GET /big.bin : ./App --port {port}'
            fetchbench init --exec 'tool=python3 fetch.py {url} {file}' --ci gitlab
            fetchbench init --program .build/release/my-trials

            The workflow builds fetchbench from its repository at a tag, builds your repository if it has a Package.swift \
            or a Makefile, and runs `fetchbench check`. On a terminal without --exec and --program, it asks for a command.
            Existing files are not overwritten. The last line of the output is the command to run next.
            """)

    @Argument(help: ArgumentHelp("Folder of the repository.", valueName: "folder"), completion: .directory)
    var folder = "."

    @Option(
        help: ArgumentHelp(
            "Your trial program to measure, relative to the folder; repeatable (default: none).",
            valueName: "path"), completion: .file())
    var program: [String] = []

    @Option(
        name: .customLong("exec"),
        help: ArgumentHelp(
            "Your command to measure, as 'NAME=command', with {url} and {file} if it fetches; repeatable (default: none).",
            valueName: "command"))
    var commands: [String] = []

    @Option(
        name: .customLong("server"),
        help: ArgumentHelp(
            "Your server to measure, as 'NAME=METHOD /path : command {port}'; repeatable (default: none).",
            valueName: "server"))
    var servers: [String] = []

    @Option(
        help: ArgumentHelp("CI service of the workflow: github, gitlab or none.", valueName: "service"),
        completion: .list(StarterWorkflow.Service.allCases.map(\.rawValue)))
    var ci = StarterWorkflow.Service.github.rawValue

    @Option(
        help: ArgumentHelp(
            "Git repository of fetchbench that the workflow builds (default: the CI variable FETCHBENCH_REPOSITORY).",
            valueName: "url"))
    var repository: String?

    @Option(help: ArgumentHelp("Tag or branch of that repository.", valueName: "name"))
    var tag = "v\(BuildInformation.version)"

    @Option(
        help: ArgumentHelp(
            "URL of a fetchbench tarball, which the workflow uses instead of building (default: none; '' for the CI variable FETCHBENCH_TARBALL).",
            valueName: "url"))
    var tarball: String?

    func validate() throws {
        try refuseToOverwrite([StarterSubject.suiteFile, try service().path].compactMap(\.self))
        _ = try externalCommands()
        let isURL = { (text: String) in text.hasPrefix("https://") || text.hasPrefix("http://") }
        if let tarball, !tarball.isEmpty, !isURL(tarball) || tarball.contains(where: \.isNewline) {
            throw ValidationError("invalid --tarball '\(SafeText.forTerminal(tarball))': expected an http or https URL")
        }
        for (flag, value) in [("--repository", repository), ("--tag", tag)] {
            guard let value, value.isEmpty || value.hasPrefix("-") || value.contains(where: \.isNewline) else {
                continue
            }
            throw ValidationError(
                "invalid \(flag) '\(SafeText.forTerminal(value))': expected what `git clone` accepts")
        }
        if tarball != nil, repository != nil {
            throw ValidationError("--repository and --tarball cannot be combined: the workflow uses one of them")
        }
    }

    private var source: StarterWorkflow.Source {
        tarball.map { .tarball($0.isEmpty ? nil : $0) } ?? .repository(repository, tag: tag)
    }

    func run() async throws {
        let subject = try await subject()
        let service = try service()
        var files = [(StarterSubject.suiteFile, StarterSuite.text(for: subject))]
        if let path = service.path, let text = StarterWorkflow.text(for: service, subject, from: source) {
            files.append((path, text))
        }
        for (path, text) in files {
            try makeFolder(PathText.folder(of: place(of: path)))
            try WholeFile.write(text, to: place(of: path), name: path)
        }
        let change = folder == "." ? "" : "cd \(ShellWord.pasted(folder)) && "
        try Console.answer(
            files.map { "wrote \(place(of: $0.0))\n" }.joined() + change + StarterSubject.checkCommand + "\n")
        if let remark = service.remark(on: source) { Console.note("for the workflow: " + remark) }
    }

    /// Returns a path of the repository, relative to the working folder.
    private func place(of path: String) -> String {
        folder == "." || path.hasPrefix("/") ? path : folder + "/" + path
    }

    private func refuseToOverwrite(_ paths: [String]) throws {
        let there = paths.filter { FileManager.default.fileExists(atPath: place(of: $0)) }
        guard there.isEmpty else {
            let names = there.map { SafeText.forTerminal(place(of: $0)) }.joined(separator: " and ")
            throw ValidationError(
                "\(names) exist\(there.count == 1 ? "s" : "") already and will not be overwritten; move it away, or use "
                    + "another folder")
        }
    }

    private func service() throws -> StarterWorkflow.Service {
        try Usage.checked {
            try WordList.resolve(ci, kind: "service", among: StarterWorkflow.Service.allCases, name: \.rawValue)
        }
    }

    private static let builds: [(file: String, command: String)] = [
        ("Package.swift", "swift build -c release"), ("Makefile", "make"),
    ]

    /// Asks on a terminal for the command to measure; `nil` without a terminal or an answer.
    private func askedCommand() -> String? {
        guard HarnessContext.isInteractive else { return nil }
        Console.note("Which command should be measured, such as 'python3 fetch.py {url} {file}' or './tool input'?")
        Console.note("(empty: an example with the fetch paths of fetchbench)")
        let line = readLine()?.trimmingCharacters(in: .whitespaces) ?? ""
        return line.isEmpty ? nil : line.firstMatch(of: /^[\w-]+=/) == nil ? "command=\(line)" : line
    }

    private func externalCommands(_ asked: String? = nil) throws -> [ExternalCommand] {
        var words = PlanWords()
        (words[.exec], words[.servers]) = (commands + [asked].compactMap(\.self), servers)
        return try Usage.checked { try words.externalCommands(besides: []) }
    }

    private func subject() async throws -> StarterSubject {
        let asked = (program + commands + servers).isEmpty ? askedCommand() : nil
        var subject = StarterSubject(programs: program, commands: try externalCommands(asked))
        let known = Self.builds.first { (build) in FileManager.default.fileExists(atPath: place(of: build.file)) }
        subject.build = known?.command
        if !program.isEmpty {
            let found = try await HarnessContext.here.programs(named: program.map { place(of: $0) })
            subject.modes = found.executables.prefix(program.count).flatMap(\.description.modes).map(\.name)
        } else if subject.commands.isEmpty {
            subject.modes = StarterSuite.known.keys.sorted()
        }
        return subject
    }
}
