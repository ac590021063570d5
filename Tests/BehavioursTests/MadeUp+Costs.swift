// SPDX-License-Identifier: Apache-2.0

import Behaviours
import MemProbe
import OperatingSystem
import Origin
import ProbeProtocol
import Testing

extension MadeUp {
    static let costs: [MadeUp] =
        CostProbe.Round.allCases.map { round in
            MadeUp("waiting-\(round.rawValue)", holds: waited(round, 20), breaks: waited(round, 700))
        }
        + ["ahc", "nio", "curl", "socket"].map { client in
            MadeUp("waiting-\(client)", holds: waited(.upload, 20), breaks: waited(.upload, 700))
        }
        + ["", "-ahc", "-nio", "-curl"].flatMap { suffix in
            [
                MadeUp(
                    "header-lines\(suffix)", holds: grown([2000, 4000, 8000], 2), breaks: grown([2000, 4000, 8000], 4)),
                MadeUp(
                    "cookie-lines\(suffix)", holds: grown([2000, 4000, 8000], 2), breaks: grown([2000, 4000, 8000], 4)),
            ]
        }
        + ["", "-ahc", "-curl"].map {
            MadeUp("redirect-body\($0)", holds: grown([2, 4, 8], 2), breaks: grown([2, 4, 8], 4))
        }
        + ["", "-ahc", "-nio", "-curl", "-download"].map {
            MadeUp("small-chunks\($0)", holds: cut(growingBy: 64), breaks: cut(growingBy: 65))
        }

    /// A second of waiting in which a process used a processor for so many milliseconds.
    static func waited(_ round: CostProbe.Round, _ milliseconds: Int, queued: Int? = nil) -> Evidence {
        Evidence(
            requests: [.seen()],
            marks: [
                Reading(
                    "\(round.rawValue)-before", time: 5, processorNanoseconds: 30,
                    queuedNanoseconds: queued.map { _ in 0 }),
                Reading(
                    "\(round.rawValue)-after", time: 1_000_000_005, processorNanoseconds: 30 + milliseconds * 1_000_000,
                    queuedNanoseconds: queued.map { $0 * 1_000_000 }, requests: 1),
            ])
    }

    /// Answers of sizes whose time grows by a factor from one to the next, from 30 ms on.
    static func grown(_ sizes: [Int], _ factor: Int) -> Evidence {
        var (used, next) = (0, 30_000_000)
        var marks = [Reading("0", processorNanoseconds: 0, requests: 1)]
        for size in sizes {
            used += next * CostProbe.count(of: size, among: sizes)
            next *= factor
            marks.append(
                Reading("\(size)", processorNanoseconds: used, peakResidentBytes: 1 << 20, requests: marks.count + 1))
        }
        return Evidence(requests: [.seen()], marks: marks)
    }

    /// A body of 1 MiB whose peak in small chunks is higher by some bytes for each.
    private static func cut(growingBy bytes: Int) -> Evidence {
        Evidence(
            requests: [.seen()],
            marks: [
                Reading("65536", peakResidentBytes: 1 << 20, requests: 2),
                Reading("16", peakResidentBytes: (1 << 20) + bytes * 65_536, requests: 3),
            ])
    }
}

/// Costs of a client, told apart from those of a busy machine.
extension SubtleEvidence {
    @Test func aClientThatSpinsOnABusyMachineIsSeenByTheTimeItWasReady() throws {
        #expect(try word("waiting-first-byte", MadeUp.waited(.firstByte, 300)) == .asItIs)
        #expect(try word("waiting-first-byte", MadeUp.waited(.firstByte, 300, queued: 650)) == .hazard)
    }

    @Test func oneSituationOfFourIsEnough() throws {
        var evidence = MadeUp.waited(.concurrent, 20)
        evidence.marks += MadeUp.waited(.upload, 900).marks
        #expect(try word("waiting-curl", evidence) == .hazard)
    }

    @Test func timesThatNobodyNoticesNeedNoShape() throws {
        var evidence = MadeUp.grown([2, 4, 8], 4)
        for index in evidence.marks.indices {
            evidence.marks[index].processorNanoseconds = evidence.marks[index].processorNanoseconds.map { $0 / 5 }
        }
        #expect(try word("redirect-body", evidence) == .asItIs)
    }

    /// One large answer takes 1.6 times as long as four small ones where half of its time grows with the square.
    @Test(arguments: [(380, Verdict.asItIs), (390, .hazard)])
    func theLargerPartDecidesBetweenStraightAndSquare(last: Int, word: Verdict) throws {
        var evidence = MadeUp.grown([2, 4, 8], 2)
        for (index, time) in [0, 240, 540, 540 + last].enumerated() {
            evidence.marks[index].processorNanoseconds = time * 1_000_000
        }
        #expect(try self.word("redirect-body", evidence) == word)
    }

    @Test func tablesThatHaveNoProcessorTimeAnswerNothing() throws {
        var evidence = MadeUp.grown([2, 4, 8], 4)
        evidence.marks[1].processorNanoseconds = nil
        #expect(try word("redirect-body", evidence) == .notTried)
    }
}
