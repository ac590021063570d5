// SPDX-License-Identifier: Apache-2.0

import Judging
import MemProbe
import Runs
import Texts
import TrialKit

extension Diagnosis {
    private static let description = "description"

    /// A program that could not be asked what it is.
    static func description(refused reason: String, isProgram: Bool) -> Diagnosis {
        Diagnosis(
            description, .failed, reason,
            remedy: isProgram
                ? "with --describe, write the document 'description' of docs/trial-protocol.md to standard output"
                : "give --program the path of an executable file")
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
        self.init("mode \(name)", ofMode: name, in: run)
    }

    /// The trials of one render model by a mode.
    init(ofRender name: String, by mode: String, in run: RunRecord) {
        self.init("render model \(name)", ofMode: mode, in: run)
    }

    private init(_ label: String, ofMode name: String, in run: RunRecord) {
        let trials = run.trials.filter { $0.cell.mode == name }
        guard let first = trials.first else {
            let reason = run.plan.inapplicable.first { $0.cell.mode == name }?.reason
            self.init(label, .limited, "not tried: \(reason ?? "it cannot be measured")")
            return
        }
        if let failed = trials.first(where: { !$0.isCompleted }) {
            self.init(label, .failed, failed.outcome.words, remedy: failed.outcome.kind.remedy)
            return
        }
        // TrialDiagnoses has one line for what a program cannot read.
        let doubts = trials.flatMap { trial in trial.doubts.filter { !TrialDoubts.ofReadings(in: trial).contains($0) } }
        if let doubt = doubts.first {
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
}

extension Outcome.Kind {
    /// The advice for the author of a program whose trial ended like this.
    fileprivate var remedy: String? {
        switch self {
        case .failed: "see 'Validation' in docs/trial-protocol.md for what each field requires"
        case .crashed: "run it by hand, with the request of docs/trial-protocol.md as standard input"
        case .timedOut: "exit after writing the report, or raise --timeout"
        case .wrongBody: "report the length and the SHA-256 of the whole body as it was received"
        case .completed, .overLimit, .rejected: nil
        }
    }
}
