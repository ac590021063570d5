// SPDX-License-Identifier: Apache-2.0

import Foundation
import Measuring
import MemProbe
import OperatingSystem
import Runs
import Testing
import TrialKit

/// What the harness makes of a process that was asked for its costs.
@Suite struct CostAnswerTests {
    private static let body = ByteCount.kibibytes(1)

    private func report(at start: Int = 2000, fetchedAt fetched: Int = 3000, body: ByteCount? = body) -> CostReport {
        let inventory = ProcessInventory(resident: ByteCount(4096), anonymous: .zero, threads: 1)
        var report = CostReport(start: CostReading(timeNanoseconds: start, inventory: inventory))
        report.fetched = CostReading(timeNanoseconds: fetched, inventory: inventory)
        report.body = body
        return report
    }

    private func answer(_ report: CostReport) throws -> CostAnswer {
        CostAnswer(spawnedNanoseconds: 1000, output: Array(try JSONEncoder().encode(report)))
    }

    @Test func aGoodAnswerIsATrial() throws {
        let report = report()
        let trial = try answer(report).trial(fetching: Self.body)
        #expect(
            trial == CostTrial(spawnedNanoseconds: 1000, start: report.start, fetched: try #require(report.fetched)))
    }

    @Test func whatEndsBadlyIsSaid() throws {
        var answer = try answer(report())
        answer.timeoutSeconds = 1.5
        answer.ending = .killedAtLimit
        #expect(throws: CostFailure("no answer within 1.5 s: killed")) { try answer.trial(fetching: Self.body) }
        answer.ending = .signalled(11)
        #expect(throws: CostFailure("ended by a signal: Segmentation fault")) {
            try answer.trial(fetching: Self.body)
        }
    }

    @Test func anOlderProgramIsCalledOld() {
        let words = "error: it takes no argument but --describe; `fetchbench run` starts trials"
        let older = CostAnswer(spawnedNanoseconds: 1, ending: .exited(64), output: [], complaint: words)
        let error = #expect(throws: CostFailure.self) { try older.trial(fetching: Self.body) }
        #expect(error?.reason.contains("too old for `fetchbench costs`") == true)
        #expect(error?.reason.contains("status 64") == true)
        let other = CostAnswer(spawnedNanoseconds: 1, ending: .exited(64), output: [], complaint: "error: no")
        #expect(throws: CostFailure("exited with status 64 (error: no)")) { try other.trial(fetching: Self.body) }
    }

    @Test func whatIsNoAccountIsRefused() throws {
        for text in ["", "{}", "[]", "{\"version\":1}", "not JSON", "\u{FEFF}{}"] {
            let answer = CostAnswer(spawnedNanoseconds: 1, output: Array(text.utf8), complaint: "words")
            let failure = try #require(throws: CostFailure.self) { try answer.trial(fetching: Self.body) }
            #expect(failure.reason.hasSuffix(" (words)"))
        }
    }

    /// What no process can have is told by its field.
    @Test(arguments: [
        ("version", "2", "version"), ("start.inventory.resident_bytes", "-1", "start.inventory.resident_bytes"),
        ("fetched.inventory.threads", "-3", "fetched.inventory.threads"),
        ("fetched.inventory.threads", "0", "fetched.inventory.threads"),
        ("fetched.inventory.resident_bytes", "4611686018427387904", "fetched.inventory.resident_bytes"),
        ("start.inventory.anonymous_bytes", "4611686018427387904", "start.inventory.anonymous_bytes"),
        ("start.inventory.descriptors", "-1", "start.inventory.descriptors"),
        ("fetched", "", "fetched"), ("fetched", "null", "fetched"), ("start.time_ns", "5", "start.time_ns"),
        ("fetched.time_ns", "1999", "fetched.time_ns"), ("body_bytes", "-1024", "body_bytes"),
    ])
    func whatNoProcessCanHaveIsRefused(path: String, value: String, field: String) throws {
        let text = try MutatedJSON.text(of: try JSONEncoder().encode(report()), setting: path, to: value)
        let answer = CostAnswer(spawnedNanoseconds: 1000, output: Array(text.utf8))
        let failure = try #require(throws: CostFailure.self) { try answer.trial(fetching: Self.body) }
        #expect(failure.reason.contains(" \(field) "), "\(failure.reason)")
    }

    @Test func anotherBodyIsRefused() throws {
        let shorter = try answer(report(body: ByteCount(1000)))
        #expect(throws: CostFailure("it fetched 1000B instead of 1KiB")) { try shorter.trial(fetching: Self.body) }
        let none = try answer(report(body: nil))
        #expect(throws: CostFailure("it fetched nothing instead of 1KiB")) { try none.trial(fetching: Self.body) }
        var failed = report()
        failed.fetched = nil
        failed.failure = CostReport.Failure(code: "http_status", detail: "status 404")
        let answer = try answer(failed)
        #expect(throws: CostFailure("the fetch failed: http_status: status 404")) {
            try answer.trial(fetching: Self.body)
        }
    }
}
