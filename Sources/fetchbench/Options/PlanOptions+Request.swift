// SPDX-License-Identifier: Apache-2.0

import Measuring
import Runs

extension PlanOptions {
    /// What was given, word for word, with the suite that it names.
    /// - Throws: `ValidationError` for what is no suite.
    func words() throws -> (words: PlanWords, note: String?) {
        let shelved = try suite.map { try SuiteShelf.suite($0) }
        var words = PlanWords()
        words.url = url
        words.request = request.words
        words.suite = shelved?.suite
        words.modes = modes
        words.programs = program + (shelved?.suite.programs ?? []).filter { !program.contains($0) }
        words.commands = commands
        words.parameters = parameterLists
        words.renders = renders
        words.allocators = allocators
        words.assets = assets
        words.conditions = conditions.words
        words.settings = settings.words
        return (words, shelved?.note)
    }

    /// The paths of the trial programs that flags and suite name.
    func namedPrograms() throws -> [String] {
        suite == nil ? program : try words().words.programs
    }

    /// The trial programs that were named, and those beside this one.
    func programs() async throws -> TrialPrograms {
        try await HarnessContext.here.announcedPrograms(named: namedPrograms())
    }

    /// The request, checked.
    func request(_ programs: TrialPrograms) throws -> PlanRequest {
        let (words, note) = try words()
        if let note { Console.warn(note) }
        return try PlanRequest(words, programs)
    }

    /// The commands that were given again, to resume what is stored without their secrets.
    func commandsAgain() throws -> [ExternalCommand] {
        var words = PlanWords()
        words.commands = commands
        return try words.externalCommands(besides: [])
    }

    /// Refuses every word of a plan but the secrets that a stored one lacks.
    /// - Parameters:
    ///   - output: the folder of the folder, which is named already.
    ///   - label: the name of the machine, which is stored already.
    func checkResumable(output: String?, label: String? = nil) throws {
        try Usage.checked {
            guard output == nil else {
                throw PlanMistake("--resume goes on in the folder of the run; --output does not go with it")
            }
            guard label == nil else {
                throw PlanMistake("--resume keeps the stored label; --label does not go with it")
            }
            guard repeatsSecretsAlone else {
                throw PlanMistake(
                    "--resume finishes the stored plan: only --url, --header, --body, --exec and --program go with it")
            }
            _ = try commandsAgain()
        }
    }
}

extension PlanOptions {
    /// An interrupted session of a kind, and what it goes on with.
    func resumed(
        _ folder: String, _ kind: RunRecord.Kind, evenIfFinished: Bool = false, besides more: [ExternalCommand] = [],
        programs: TrialPrograms,
        in harness: HarnessContext
    ) throws -> (session: Session, subjects: TrialHost.Subjects) {
        let session = try Session.resumed(
            RunFolder(existing: folder), kinds: [kind], evenIfFinished: evenIfFinished, in: harness)
        let subjects = try TrialHost.Subjects(
            resuming: session, url: url, request: request.words, commands: commandsAgain() + more,
            parameters: parameterLists.map { try CommandParameter(parsing: $0) }, programs: programs, named: program,
            redaction: harness.redaction)
        return (session, subjects)
    }
}

extension PlanRequest {
    /// The plan, and what a user should know of it said.
    /// - Parameter showsProgress: whether it is said how long its assets take to be made.
    func announcedPlan(in harness: HarnessContext, showsProgress: Bool) async throws -> Plan {
        // A foreign URL needs no asset, but the origin that warms up does: said before anything is stored.
        if modes.contains(where: \.fetches) { _ = try harness.originEnvironment() }
        let display = ProgressDisplay(.here(isShown: showsProgress), "preparing the assets")
        defer { display.finish() }
        let (plan, warnings) = try await plan(
            preparing: EmbeddedAssets.asset, variables: harness.variables, redaction: harness.redaction)
        display.finish()
        warnings.forEach { Console.warn($0) }
        return plan
    }
}
