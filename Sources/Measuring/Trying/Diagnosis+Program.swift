// SPDX-License-Identifier: Apache-2.0

import MemProbe
import Runs
import Texts
import TrialKit

extension Diagnosis {
    private static let description = "description"

    /// A program that could not be asked what it is.
    static func description(refused reason: String) -> Diagnosis {
        Diagnosis(
            description, .failed, reason,
            remedy: "started with --describe it answers with the document 'description' of docs/trial-protocol.md")
    }

    /// A program that was asked what it is.
    static func description(_ description: ProgramDescription) -> Diagnosis {
        let versions = description.protocols
        let modes = description.modes.filter { $0.name != Case.nullMode }
        let what = "\(modes.count) mode\(modes.count == 1 ? "" : "s") besides none, on \(description.allocator.name)"
        let newest = TrialRequest.understoodProtocols.upperBound
        return Diagnosis(
            Self.description, modes.isEmpty ? .limited : .available,
            "\(what), versions \(versions.lowerBound) to \(versions.upperBound) of the protocol (newest: \(newest))",
            remedy: modes.isEmpty ? "declare a mode that fetches" : nil)
    }

    /// The trials of one mode.
    init(ofMode name: String, in run: RunRecord) {
        let trials = run.trials.filter { $0.cell.mode == name }
        let label = "mode \(name)"
        guard let first = trials.first else {
            let reason = run.plan.inapplicable.first { $0.cell.mode == name }?.reason
            self.init(label, .limited, "was not tried: \(reason ?? "it cannot be measured")")
            return
        }
        if let failed = trials.first(where: { !$0.isCompleted }) {
            self.init(label, .failed, failed.outcome.words, remedy: failed.outcome.kind.remedy)
            return
        }
        if let doubt = trials.flatMap(\.doubts).first(where: { !Self.isOfWholeProgram($0) }) {
            self.init(label, .limited, doubt)
            return
        }
        let growth = trials.compactMap(\.peakResidentGrowth).max() ?? .zero
        let copies = first.copiesHeld.map { ", \(ByteText.fixed($0, places: 2)) copies of the body" } ?? ""
        self.init(
            label, .available,
            "\(trials.count) trial\(trials.count == 1 ? "" : "s"), \(ByteText.mebibytes(growth)) above the baseline\(copies)"
        )
    }

    /// True for what ``TrialDiagnoses`` says of all trials at once.
    private static func isOfWholeProgram(_ doubt: String) -> Bool {
        doubt.hasPrefix("the peak comes from") || doubt.hasPrefix("program pages could not be read")
    }
}

extension Outcome.Kind {
    /// What the author of a program does about a trial that ended like this.
    fileprivate var remedy: String? {
        switch self {
        case .failed: "docs/trial-protocol.md says what each field has to be ('What is checked')"
        case .crashed: "start it by hand, with the request of docs/trial-protocol.md as its standard input"
        case .timedOut: "a trial ends by itself after its report; --timeout is the time that it has"
        case .wrongBody: "report the length and the SHA-256 of what arrived, of the whole body"
        case .completed, .overLimit, .rejected: nil
        }
    }
}
