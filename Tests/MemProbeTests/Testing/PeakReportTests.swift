// SPDX-License-Identifier: Apache-2.0

import Foundation
import MemProbe
import MemProbeTesting
import Testing

/// The plain spelling: an exit test that measures itself.
struct PeakReportTests {
    @Test(arguments: [10, 50]) func whatIsAllocatedIsRead(mebibytes: Int) async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            [mebibytes = mebibytes as Int] in
            try await PeakReport.emit {
                print("noise without a line break", terminator: "")
                #expect(Planted.sum(ofMebibytes: mebibytes) > 0)
            }
        }
        let growth = try PeakReport(result).growth
        #expect(abs((growth - .mebibytes(mebibytes)).rawValue) < 1 << 20, "\(growth.mebibytes) MiB")
    }

    @Test func whatIsMissingIsSaid() async {
        let silent = await #expect(processExitsWith: .success) { try await PeakReport.emit {} }
        let unobserved = #expect(throws: PeakReport.Missing.self) { _ = try PeakReport(silent) }
        #expect(unobserved?.reason.contains("observing") == true)
        let other = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) { print("other") }
        let unsaid = #expect(throws: PeakReport.Missing.self) { _ = try PeakReport(other) }
        #expect(unsaid?.reason.contains("emit") == true)
        let failed = #expect(throws: PeakReport.Missing.self) { _ = try PeakReport(nil) }
        #expect(failed?.reason.contains("failed") == true)
    }
}
