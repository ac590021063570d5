// SPDX-License-Identifier: Apache-2.0

import Foundation
import MemProbe
import Testing
import Texts

/// One case of a test with limits, which runs in fresh processes; failures are recorded here.
struct LimitedCase: Sendable {
    let test: Test
    let limits: EffectiveLimits
    private let testCase: CaseKey

    init(_ test: Test, _ testCase: CaseKey, _ limits: EffectiveLimits) {
        (self.test, self.testCase, self.limits) = (test, testCase, limits)
    }

    /// Judges all limits; stops at the first that fails.
    func judge() async {
        guard let command = TestCommand() else {
            return fail("its processes cannot be started: /proc is not mounted")
        }
        var isFirst = true
        do throws(ChildTimeLimit.Fault) {
            if let limit = limits.peak {
                guard await keepsPeak(limit, try trial(command, limit.timeLimit), &isFirst) else { return }
            }
            if let limit = limits.leak { await judgeLeak(limit, try trial(command, limit.timeLimit), &isFirst) }
        } catch {
            fail("\(error)")
        }
    }

    private func trial(_ command: TestCommand, _ timeLimit: Duration?) throws(ChildTimeLimit.Fault) -> ChildTrial {
        ChildTrial(
            command: command, test: "\(test.id)", testCase: testCase,
            limit: try ChildTimeLimit(trait: timeLimit, test: test.timeLimit))
    }

    /// Returns true if a process stays within the limit; otherwise records the failure.
    private func keepsPeak(_ written: PeakLimit, _ trial: ChildTrial, _ isFirst: inout Bool) async -> Bool {
        let limit: ByteCount
        do throws(LimitFormula.Fault) {
            limit = try written.bytes()
        } catch {
            fail("\(error)")
            return false
        }
        var growths: [PeakGrowth] = []
        var allocator = ""
        for _ in 0..<PeakVerdict.processes {
            guard let answer = accepted(await trial.run(.peak), &isFirst) else { return false }
            guard case .peak(let growth) = answer.reading else {
                fail("a child answered something else")
                return false
            }
            if growth.growth <= limit { return true }
            growths.append(growth)
            allocator = answer.allocator
        }
        let words = PeakVerdict(limit: limit, formula: written.words, growths: growths).words(
            PeakVerdict.Circumstances(isDebug: PeakVerdict.Circumstances.isDebugBuild, allocator: allocator))
        fail(words + "\n" + (await holders(trial, plain: growths.first)))
        return false
    }

    private func judgeLeak(_ limit: LeakLimit, _ trial: ChildTrial, _ isFirst: inout Bool) async {
        guard limit.repetitions >= LeakLimit.fewestRepetitions else {
            return fail(
                "a leak limit of \(limit.repetitions) repetitions says nothing: at least "
                    + "\(LeakLimit.fewestRepetitions) are a line")
        }
        var verdict = LeakVerdict(limit: limit)
        var allocator = ""
        for process in 0..<PeakVerdict.processes {
            let work = limit.work(confirming: process > 0, trial.limit)
            guard let answer = accepted(await trial.run(.series(work)), &isFirst) else { return }
            guard case .series(let series) = answer.reading, let isAbove = verdict.isAbove(series) else {
                return fail("a child answered something else")
            }
            if !isAbove { return }
            allocator = answer.allocator
        }
        fail(
            verdict.words(
                PeakVerdict.Circumstances(isDebug: PeakVerdict.Circumstances.isDebugBuild, allocator: allocator)))
    }

    /// Returns the answer of a child, or `nil` if the test fails without it; shows output and attachments once.
    private func accepted(_ result: ChildTrial.Result, _ isFirst: inout Bool) -> ChildScope.Answer? {
        let isRed = result.issues.contains { !$0.isWarning }
        if isFirst || isRed { result.issues.forEach { $0.record(orAt: test.sourceLocation) } }
        if isFirst { show(result) }
        isFirst = false
        switch result.answer {
        case .success(let answer): return isRed ? nil : answer
        case .failure(let fault):
            // A test that failed has reported why it did not finish.
            if !isRed || fault.isOfProcess { fail("cannot be measured: \(fault.reason)") }
            return nil
        }
    }

    private func show(_ result: ChildTrial.Result) {
        if !result.output.isEmpty { FileHandle.standardError.write(Data(result.output.utf8)) }
        for file in result.attachments {
            Attachment.record(file.content, named: file.name, sourceLocation: test.sourceLocation)
        }
    }

    private func fail(_ words: String) { Issue.record(Comment(rawValue: words), sourceLocation: test.sourceLocation) }
}

extension LimitedCase {
    /// Runs one more process with the recorder, attaches the holders of its peak, and returns their table for the
    /// failure.
    func holders(_ trial: ChildTrial, plain: PeakGrowth?) async -> String {
        let recorder: RecorderFile
        do throws(RecorderFile.Missing) {
            recorder = try RecorderFile.find()
        } catch {
            return "The holders are unknown: \(error.reason)."
        }
        let result = await trial.run(.peak, recorder: recorder)
        do {
            let findings = try await findings(result, plain: plain)
            Attachment.record(Array(findings.table.utf8), named: "holders.txt", sourceLocation: test.sourceLocation)
            Attachment.record(findings.pprof, named: "holders.pb.gz", sourceLocation: test.sourceLocation)
            return "Holders, from one more process with the recorder:\n" + findings.table
        } catch let fault as ChildTrial.Fault {
            return "The holders are unknown: with the recorder the process \(fault.reason)."
        } catch let missing as HolderFindings.Missing {
            return "The holders are unknown: \(missing.reason)."
        } catch {
            return "The holders are unknown: \(error)."
        }
    }

    private func findings(_ result: ChildTrial.Result, plain: PeakGrowth?) async throws -> HolderFindings {
        let answer = try result.answer.get()
        guard case .peak(let growth) = answer.reading, let recordings = result.recordings else {
            throw HolderFindings.Missing(reason: "the child answered something else")
        }
        return try await HolderFindings(
            of: "\(test.id)", allocator: answer.allocator, recordings, recorded: growth, plain: plain)
    }
}

package struct HeldMemory: Hashable, Sendable {
    package var resident: ByteCount
    /// The peak since the test began, or of the whole process if it has not begun.
    package var peak: ByteCount
}

extension HeldMemory {
    /// Reads a process; `nil` if it has ended or cannot be read.
    init?(of process: Int32) {
        guard var probe = try? ProcessProbe(.pid(process)), let resident = try? probe.resident().resident,
            let peak = try? probe.peakSinceReset().resident
        else { return nil }
        self.init(resident: resident, peak: peak)
    }

    var words: String {
        "it held \(ByteText.fixed(resident.mebibytes, places: 2)) MiB then, its peak was "
            + "\(ByteText.fixed(peak.mebibytes, places: 2)) MiB"
    }
}
