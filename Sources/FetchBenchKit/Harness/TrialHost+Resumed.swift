// SPDX-License-Identifier: Apache-2.0

extension TrialHost.Subjects {
    /// What an interrupted session goes on with: what is stored, and what had to be given again.
    /// - Parameters:
    ///   - url: the URL with its credentials, where it was given again.
    ///   - commands: the commands that were given again.
    /// - Throws: ``FetchBenchError/malformedRun(name:reason:)`` where another URL was given, or a command that is stored
    ///   without its secrets was not.
    package init(
        resuming session: Session, url: String?, commands: [ExternalCommand], programs: TrialPrograms,
        redaction: RedactedCommand
    ) throws(FetchBenchError) {
        let plan = session.record.plan
        let name = session.folder.name
        let stored = plan.assets.first { !$0.isEmbedded }?.location
        if let url, let stored, RedactedURL.text(of: url) != stored {
            throw FetchBenchError.malformedRun(name: name, reason: "it was measured on another URL: \(stored)")
        }
        for command in plan.commands where command.isRedacted == true {
            let given = commands.first { $0.name == command.name }
            guard let given, redaction.command(given) == command else {
                throw FetchBenchError.malformedRun(
                    name: name,
                    reason:
                        "command \(command.name) is stored without its secrets and folders; give it again with --exec")
            }
        }
        let byName = Dictionary(commands.map { ($0.name, $0) }) { first, _ in first }
        self.init(url: url ?? stored, commands: byName, programs: programs.puttingFirst(programOf: plan.firstMode))
    }

    /// The flags that resuming a session needs again, because what is stored lacks credentials or folders.
    package func flagsToRepeat(of record: RunRecord) -> [String] {
        let lacksURL = record.plan.assets.contains { !$0.isEmbedded && $0.location != url }
        let names = record.plan.commands.filter { $0.isRedacted == true }.map(\.name)
        return (lacksURL ? ["--url URL"] : []) + names.map { "--exec '\($0)=…'" }
    }
}
