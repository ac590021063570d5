// SPDX-License-Identifier: Apache-2.0

import Glibc
import MemProbe

extension Fixture {
    /// The readings around a mapping of a known size.
    private struct Round {
        var before: Snapshot
        var exactBefore: ResidentReading
        var exact: ResidentReading
        var after: Snapshot
        var released: Snapshot
    }

    /// What every reading says about a mapping of a known size.
    static func accuracy(ofMapping size: Int) throws(MemProbeError) {
        var probe = try ProcessProbe(.current)
        // Once for nothing: what is made lazily exists afterwards.
        _ = try probe.snapshot()
        answer(try measure(size, with: &probe))
    }

    private static func measure(_ size: Int, with probe: inout ProcessProbe) throws(MemProbeError) -> Round {
        let before = try probe.snapshot()
        let exactBefore = try probe.resident()
        let start = try mapAndTouch(size)
        let exact = try probe.resident()
        let after = try probe.snapshot()
        munmap(start, size)
        let released = try probe.snapshot()
        return Round(before: before, exactBefore: exactBefore, exact: exact, after: after, released: released)
    }

    private static func answer(_ round: Round) {
        answer("statm", (round.exact.resident - round.exactBefore.resident).rawValue)
        answer("statm-anonymous", (round.exact.anonymous - round.exactBefore.anonymous).rawValue)
        answer("resident", (round.after.resident - round.before.resident).rawValue)
        answer("anonymous", (round.after.anonymous - round.before.anonymous).rawValue)
        if let proportional = round.after.proportional, let base = round.before.proportional {
            answer("proportional", (proportional - base).rawValue)
        }
        if let unique = round.after.unique, let base = round.before.unique {
            answer("unique", (unique - base).rawValue)
        }
        if let peak = round.released.peakResident { answer("peak", (peak - round.before.resident).rawValue) }
        answer("released", (round.released.resident - round.before.resident).rawValue)
        answer("faults", round.after.minorFaults - round.before.minorFaults)
        answer("cpu", round.after.cpuNanoseconds - round.before.cpuNanoseconds)
        answer("time", round.after.timeNanoseconds - round.before.timeNanoseconds)
    }
}
