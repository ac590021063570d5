// SPDX-License-Identifier: Apache-2.0

import Judging
import Runs
import Testing

/// The advice of a calibration names only flags that its case takes.
@Suite struct CalibratorTests {
    private func advice(for cell: Case, detectable: Double) -> String? {
        Calibrator.advice(for: cell, variation: 0.05, detectable: detectable, wanted: 0.02)
    }

    @Test func onlyAFetchIsAdvisedToPaceTheOrigin() throws {
        let fetch = Case(asset: "hero", mode: "data", render: "none", allocator: .glibc)
        let (fetched, plain) = (
            advice(for: fetch, detectable: 0.04), advice(for: .plain("sort", on: .glibc), detectable: 0.04)
        )
        #expect(try #require(fetched).contains("--rate"))
        #expect(try #require(plain).contains("--allocator"))
        #expect(plain?.contains("--rate") == false)
    }

    @Test func whatCanBeDetectedNeedsNone() {
        #expect(advice(for: .plain("sort", on: .glibc), detectable: 0.01) == nil)
    }
}
