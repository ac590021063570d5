// SPDX-License-Identifier: Apache-2.0

import Measuring
import Runs
import TrialKit

/// Sessions of the fakes, in which no trial is done.
enum FakeSession {
    static func request() throws -> PlanRequest {
        var words = PlanWords()
        words.modes = ["data"]
        words.suite = try SuiteFile(
            parsing:
                "budgets: [\"*: peak <= 4 MiB\"]\nnoise:\n  hero/data/none/glibc:\n    net_peak_growth_bytes: 20KiB\n",
            fileName: "suite")
        return try PlanRequest(words, .fake)
    }

    static func begun(_ kind: RunRecord.Kind, in folder: String) async throws -> Session {
        let request = try request()
        let plan = try await request.synthetic().plan
        let destination = Session.Destination(output: folder + "/results", label: "here")
        guard kind.isPaired else {
            return try await Session.begun(kind, of: request, plan, to: destination, in: .fake(folder))
        }
        return try await PairedSession.begun(
            kind, .programs(base: .fake, head: .fake), of: request, plan, pairs: 5, to: destination, in: .fake(folder)
        ).session
    }

    /// The folder of a session that nobody holds any more.
    static func finished(
        _ kind: RunRecord.Kind, in folder: String, renderers: [any TextRenderer<Report>]
    ) async throws -> RunFolder {
        let session = try await begun(kind, in: folder)
        _ = try session.finished(at: "2026-01-02T04:00:00Z", renderers: renderers)
        return session.folder
    }

    static func inputs(
        resuming session: Session, url: String? = nil, commands: [ExternalCommand] = [],
        parameters: [CommandParameter] = [], programs: TrialPrograms = .fake
    ) throws -> TrialInputs {
        try TrialInputs(
            resuming: session, url: url, commands: commands, parameters: parameters, programs: programs, named: [],
            in: .fake("/tmp"))
    }
}
