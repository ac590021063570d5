// SPDX-License-Identifier: Apache-2.0

extension TrialHost.Subjects {
    /// What an interrupted session goes on with: what is stored, and what had to be given again.
    /// - Parameters:
    ///   - url: the URL with its credentials, where it was given again.
    ///   - commands: the commands that were given again.
    /// - Throws: ``FetchBenchError/malformedRun(name:reason:)`` where another URL or command was given than the plan has,
    ///   or a command that is stored without its secrets was not.
    package init(
        resuming session: Session, url: String?, commands: [ExternalCommand], programs: TrialPrograms,
        named paths: [String], redaction: RedactedCommand
    ) throws(FetchBenchError) {
        let plan = session.record.plan
        let stored = plan.assets.first { !$0.isEmbedded }?.location
        func refuse(_ reason: String) -> FetchBenchError {
            .malformedRun(name: session.folder.name, reason: reason)
        }
        if let url, url != stored, RedactedURL.text(of: url) != stored {
            throw refuse(stored.map { "it was measured on another URL: \($0)" } ?? "it was measured on no URL")
        }
        for given in commands {
            guard let stored = plan.commands.first(where: { $0.name == given.name }) else {
                throw refuse("its plan has no command \(given.name)")
            }
            guard redaction.command(given) == stored else {
                throw refuse("command \(given.name) was another one: \(stored.command)")
            }
        }
        let lacking = plan.commands.first { stored in
            stored.isRedacted == true && !commands.contains { $0.name == stored.name }
        }
        if let lacking {
            throw refuse(
                "command \(lacking.name) is stored without its secrets and folders; give it again with --exec")
        }
        self.init(
            url: url ?? stored, commands: Dictionary(commands.map { ($0.name, $0) }) { first, _ in first },
            programs: programs.puttingFirst(programOf: plan.firstMode), named: paths)
        guard session.record.programs.map({ $0 == self.programs.files(for: plan.cases) }) ?? true else {
            throw refuse("it was begun with other trial programs: their trials would not be comparable")
        }
    }

    /// The flags that resuming a session needs again, because what is stored lacks credentials or folders.
    package func flagsToRepeat(of record: RunRecord) -> [String] {
        let lacksURL = record.plan.assets.contains { !$0.isEmbedded && $0.location != url }
        let names = record.plan.commands.filter { $0.isRedacted == true }.map(\.name)
        return (lacksURL ? ["--url URL"] : []) + names.map { "--exec '\($0)=…'" }
            + named.map { "--program \(ShellWord.pasted($0))" }
    }
}
