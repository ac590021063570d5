// SPDX-License-Identifier: Apache-2.0

import Judging
import Runs

/// Checks of the reports of completed trials, compared with what this machine can measure.
struct TrialDiagnoses {
    /// The largest growth of the null mode that leaves figures as they are, above the error of the kernel's mark.
    private static let quietFloor = ByteCount.kibibytes(256)

    private let trials: [Trial]
    private let reports: [TrialReport]
    private let machine: MachineEnvironment

    /// - Parameter trials: Completed trials, of which those of the null mode tell the floor.
    init(_ trials: [Trial], in machine: MachineEnvironment) {
        self.trials = trials
        reports = trials.compactMap(\.report)
        self.machine = machine
    }

    var all: [Diagnosis] {
        reports.isEmpty
            ? []
            : [floor, peak, errorBound, exactness, programPages, mappings, allocator, hugePages, purged].compactMap(
                \.self)
    }

    /// The growth of the null mode, which is part of every figure.
    private var floor: Diagnosis? {
        let growths = trials.filter { $0.cell.mode == Case.nullMode }.compactMap(\.peakResidentGrowth)
        guard let most = growths.max() else { return nil }
        let words = "mode none grows by at most \(ByteText.mebibytes(most))"
        guard most > Self.quietFloor + machine.peakErrorBound else { return Diagnosis("floor", .available, words) }
        return Diagnosis(
            "floor", .limited, words + ", which is part of every figure",
            remedy: "rehearse every reading before baseline, with preallocated buffers, and collect garbage")
    }

    private var peak: Diagnosis {
        let sources = Set(reports.flatMap(\.phases).map(\.peak.source))
        guard sources == [.highWaterMark], machine.canResetPeak || sources.isEmpty else {
            let names = sources.map(\.rawValue).sorted().joined(separator: ", ")
            return Diagnosis(
                "peak", .limited, "peaks come from \(names)",
                remedy: machine.canResetPeak
                    ? "write 5 to /proc/self/clear_refs at the start of each phase, then read VmHWM at its end" : nil)
        }
        return Diagnosis("peak", .available, "the kernel's high-water mark, reset at the start of each phase")
    }

    private var errorBound: Diagnosis {
        let marks = reports.flatMap(\.phases).filter { $0.peak.source == .highWaterMark }
        let name = "error bound"
        let remedy =
            "report 3 × (max(32, 2 × CPUs) − 1) × CPUs pages, as `doctor` prints"
        for mark in marks {
            let expected = PeakErrorBound.current(threads: mark.end.memory.threads)
            guard mark.peak.errorBound != expected else { continue }
            let words =
                "is \(mark.peak.errorBound.rawValue) bytes; the kernel's is \(expected.rawValue)"
            return Diagnosis(name, .limited, words, remedy: remedy)
        }
        return Diagnosis(name, .available, "matches this machine")
    }

    private var exactness: Diagnosis {
        let name = "exactness"
        let told = Set(reports.map(\.exactness))
        if Set(told.map(MachineEnvironment.kind)) == [machine.exactnessKind] {
            return Diagnosis(name, .available, machine.exactness)
        }
        let words = told.sorted().joined(separator: ", ")
        if told == ["unknown"] {
            return Diagnosis(
                name, .limited, "is unknown: samples of the harness are not treated as exact readings",
                remedy: "compare statm with smaps_rollup before baseline, and report exact if they agree")
        }
        return Diagnosis(
            name, .limited, "is '\(words)', and `doctor` finds '\(machine.exactness)'",
            remedy: "report what a comparison of statm with smaps_rollup shows, or unknown")
    }

    private var programPages: Diagnosis? {
        guard machine.canReadProgramPages == true else { return nil }
        return leftOut(
            "program pages", \.memory.programPages,
            "program_bytes, for figures net of program pages, which are judged first",
            remedy: "read /proc/self/pagemap")
    }

    private var mappings: Diagnosis? {
        guard machine.canReadMappings else { return nil }
        return leftOut(
            "PSS and USS", \.memory.unique, "proportional_bytes and unique_bytes",
            remedy: "read Pss and Private_* of /proc/self/smaps_rollup")
    }

    private var allocator: Diagnosis {
        leftOut(
            "allocator's figures", \.allocator, "allocator of marks, for allocated beside resident bytes",
            remedy: "query the allocator, such as with mallinfo2")
    }

    private func leftOut<Value>(
        _ name: String, _ value: KeyPath<Mark, Value?>, _ loss: String, remedy: String
    ) -> Diagnosis {
        let marks = reports.compactMap(\.baseline) + reports.flatMap { $0.phases.map(\.end) }
        return marks.contains { $0[keyPath: value] == nil }
            ? Diagnosis(name, .limited, "missing: \(loss)", remedy: remedy)
            : Diagnosis(name, .available, "present in every mark")
    }

    private var hugePages: Diagnosis {
        reports.allSatisfy(\.hugePagesDisabled)
            ? Diagnosis("huge pages", .available, "disabled by the program")
            : Diagnosis(
                "huge pages", .limited, "enabled: a touched byte may cost 2 MiB",
                remedy: "call prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0) first")
    }

    private var purged: Diagnosis {
        reports.allSatisfy { $0.purged != nil }
            ? Diagnosis("purged", .available, "taken after the allocator returned free memory")
            : Diagnosis(
                "purged", .limited, "missing: memory kept by the allocator cannot be distinguished from memory in use",
                remedy: "ask the allocator to return free memory (such as with malloc_trim), then take the mark")
    }
}

extension Diagnosis {
    private static let description = "description"

    static func description(refused reason: String, isProgram: Bool) -> Diagnosis {
        Diagnosis(
            description, .failed, reason,
            remedy: isProgram
                ? "with --describe, write the document 'description' of docs/trial-protocol.md to standard output"
                : "give --program the path of an executable file")
    }

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

    init(ofMode name: String, in run: RunRecord) {
        self.init("mode \(name)", ofMode: name, in: run)
    }

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
        case .completed, .overLimit, .killedByLimit, .rejected: nil
        }
    }
}
