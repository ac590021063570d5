// SPDX-License-Identifier: Apache-2.0

package import Runs
import TrialKit

extension TrialInputs {
    /// Combines the stored inputs of an interrupted session with those that were given again.
    ///
    /// Secrets are not stored: the URL with credentials, headers, the body (the method is stored) and commands.
    /// - Throws: ``FetchBenchError/malformedRun(name:reason:)`` if a URL, request or command differs from the plan, or
    ///   a redacted one is missing; ``PlanMistake`` for invalid headers or body.
    package init(
        resuming session: Session, url: String?, request: RequestWords = RequestWords(),
        commands: [ExternalCommand], parameters: [CommandParameter] = [], programs: TrialPrograms,
        named paths: [String], in harness: HarnessContext
    ) throws {
        let plan = session.record.plan
        let url = try url.map(TargetURL.canonical)
        let stored = plan.assets.first { !$0.isEmbedded }?.location
        func refuse(_ reason: String) -> FetchBenchError {
            .malformedRun(name: session.folder.name, reason: reason)
        }
        if let url, url != stored, RedactedURL.text(of: url) != stored {
            throw refuse(stored.map { "it measured another URL: \($0)" } ?? "it did not measure a URL")
        }
        let details = try Self.repeated(request, storedAs: plan.settings.request, for: url ?? stored, refuse)
        try Self.check(commands, parameters, in: plan, harness.redaction, refuse)
        self.init(
            programs: programs.puttingFirst(programOf: plan.firstMode), named: paths, url: url ?? stored,
            details: details, commands: commands, parameters: parameters, in: harness)
        guard session.record.programs.map({ $0 == self.programs.files(for: plan.cases) }) ?? true else {
            throw refuse("it was started with other trial programs, so trials would not be comparable")
        }
    }

    /// Refuses commands that differ from the plan, and a plan whose secrets were not given again.
    private static func check(
        _ commands: [ExternalCommand], _ parameters: [CommandParameter], in plan: Plan, _ redaction: RedactedCommand,
        _ refuse: (String) -> FetchBenchError
    ) throws(FetchBenchError) {
        for given in commands {
            guard let stored = plan.commands.first(where: { $0.name == given.name }) else {
                throw refuse("its plan has no command \(given.name)")
            }
            guard redaction.command(given) == stored else {
                throw refuse("command \(given.name) was different: \(stored.command)")
            }
        }
        let lacking = plan.commands.first { stored in
            stored.isRedacted == true && !commands.contains { $0.name == stored.name }
        }
        if let lacking {
            throw refuse(
                "command \(lacking.name) is stored without secrets and folders; give it again"
                    + (lacking.fetches ? " with --exec" : ""))
        }
        let secret = plan.cases.flatMap(\.parameters).first { value in
            value.value.hasPrefix(RedactedCommand.mark + "-")
                && CommandParameters.real([value], among: parameters) == [value]
        }
        if let secret {
            throw refuse(
                "the values of {\(secret.name)} are not stored; give them again with --parameter-list")
        }
    }

    /// Returns the given request details if they match the stored outline: the same names and the same body.
    private static func repeated(
        _ words: RequestWords, storedAs outline: RequestOutline?, for url: String?,
        _ refuse: (String) -> FetchBenchError
    ) throws -> RequestDetails? {
        var words = words
        if let outline, outline.method != "GET" { words.method = outline.method }
        let details = try words.details(for: url)
        guard RequestOutline(details) != outline else { return details }
        guard let outline else { throw refuse("it was measured without custom headers and body") }
        let flags = outline.secretFlags.joined(separator: " ")
        throw refuse("it used \(outline.text), whose values are not stored; give them again: \(flags)")
    }

    /// The arguments to repeat when `exec` is resumed, because the stored ones lack credentials or folders.
    package func commandsToRepeat(of record: RunRecord) -> [String] {
        let commands = record.plan.commands.filter { $0.isRedacted == true }.map { ShellWord.quoted($0.command) }
        let lists = Set(
            record.plan.cases.flatMap(\.parameters).filter { $0.value.hasPrefix(RedactedCommand.mark) }.map(\.name))
        return commands + lists.sorted().map { "--parameter-list \($0)=…" }
    }

    /// The flags to repeat when a session is resumed, because the stored ones lack credentials or folders.
    package func flagsToRepeat(of record: RunRecord) -> [String] {
        let lacksURL = record.plan.assets.contains { !$0.isEmbedded && $0.location != url }
        let names = record.plan.commands.filter { $0.isRedacted == true }.map(\.name)
        let request = record.plan.settings.request.map { $0.secretFlags } ?? []
        return (lacksURL ? ["--url URL"] : []) + request + names.map { "--exec '\($0)=…'" }
            + named.map { "--program \(ShellWord.pasted($0))" }
    }
}
