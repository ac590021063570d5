// SPDX-License-Identifier: Apache-2.0

import CommandConsole
import Glibc

/// The flags that say what is asked of a server, which `--server` says in one text.
struct ServerOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Path to GET (default: none).", valueName: "path"))
    var get: String?

    @Option(help: ArgumentHelp("Path to POST --body SIZE to (default: none).", valueName: "path"))
    var post: String?

    @Option(help: ArgumentHelp("Path to PUT --body SIZE to (default: none).", valueName: "path"))
    var put: String?

    @Option(
        help: ArgumentHelp("Command that makes the requests in place of ours (default: none).", valueName: "command"))
    var client: String?

    @Option(help: ArgumentHelp("Requests in a row, such as 1,200: what each leaves (default: 1).", valueName: "counts"))
    var requests: [String] = []

    @Option(
        help: ArgumentHelp("Path that answers with 2xx when the server is ready (default: none).", valueName: "path"))
    var ready: String?

    @Option(help: ArgumentHelp("Path of the warm-up requests (default: the same).", valueName: "path"))
    var warmupGet: String?

    @Option(help: ArgumentHelp("Seconds in which the server has to be ready (default: 10).", valueName: "seconds"))
    var startTimeout: Double?

    @Option(help: ArgumentHelp("File that every answer has to equal (default: none).", valueName: "path"))
    var expect: String?

    @Option(
        help: ArgumentHelp(
            "Seconds after the last request until what stays is read (default: 0.5).", valueName: "seconds"))
    var idle: Double?

    var isEmpty: Bool {
        [get, post, put, client, ready, warmupGet, expect].allSatisfy { $0 == nil } && requests.isEmpty
            && startTimeout == nil
            && idle == nil
    }

    /// Adds servers to a plan.
    func add(_ commands: [String], to plan: inout PlanOptions) throws {
        for (number, command) in commands.enumerated() {
            let server = try self.command(command, of: plan)
            let name = server.name + (number == 0 ? "" : "-\(number + 1)")
            plan.servers.append("\(name)=\(server.server?.text ?? "") : \(command)")
        }
        guard !plan.servers.isEmpty else {
            throw ValidationError(
                "no server is given; for example: fetchbench endpoint './App --port {port}' --get /big.bin")
        }
        plan.request.body = nil
        plan.conditions.add(try Usage.requests(requests), to: "scenario")
    }

    /// Returns a server; the body of its requests is that of the plan's own flag, a size.
    func command(_ text: String, of plan: PlanOptions) throws -> ExternalCommand {
        guard !text.allSatisfy(\.isWhitespace) else {
            throw ValidationError("the command of a server is empty: expected a program and its arguments")
        }
        let asked = try asked(body: plan.request.body)
        var command = ExternalCommand(name: asked.method.lowercased(), command: text)
        command.server = asked
        return command
    }

    private func asked(body: String?) throws -> ServerRequest {
        let requests =
            [("GET", get), ("POST", post), ("PUT", put)].compactMap { method, path in
                path.map { ServerRequest(method, $0) }
            } + [client.map { ServerRequest(client: $0) }].compactMap(\.self)
        guard requests.count == 1, var request = requests.first else {
            throw ValidationError(
                "expected one of --get, --post, --put and --client, got \(requests.isEmpty ? "none" : "\(requests.count)")"
            )
        }
        (request.body, request.ready, request.warmup, request.expected) = (body, ready, warmupGet, expect)
        if let expect, !expect.contains("{"), access(expect, R_OK) != 0 {
            throw ValidationError(
                "--expect '\(SafeText.forTerminal(expect))' cannot be read; expected a file with the answer")
        }
        request.start = startTimeout ?? request.start
        request.idle = idle ?? request.idle
        return try Usage.checked { try ServerRequest(parsing: request.text[...]) }
    }
}

extension Usage {
    /// Returns the scenarios of a server that make so many requests in a row.
    fileprivate static func requests(_ counts: [String]) throws -> [String] {
        try WordList.words(in: counts).map { text in
            guard let count = Int(text), (1...ScenarioChoice.mostCount).contains(count) else {
                throw ValidationError(
                    "invalid --requests '\(SafeText.forTerminal(text))': expected numbers from 1 to \(ScenarioChoice.mostCount)"
                )
            }
            return count == 1 ? ScenarioChoice.none.name : "\(Case.servedScenario):\(count)"
        }
    }
}
