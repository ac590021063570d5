// SPDX-License-Identifier: Apache-2.0

import Scenarios
import Testing

@Suite("How somebody scrolls")
struct GalleryTraceTests {
    private func trace(_ seed: UInt64) -> GalleryTrace {
        GalleryTrace(seed: seed, pictures: 25, rounds: 3, columns: 3, visibleRows: 4)
    }

    @Test("is the same for the same seed, and another for another")
    func seeds() {
        #expect(trace(7) == trace(7))
        #expect(trace(7).offsets != trace(8).offsets)
        #expect(trace(7).items != trace(8).items)
    }

    @Test("stays in the list, ends where it rests, and lasts some seconds")
    func bounds() throws {
        for seed in 0..<200 {
            let trace = trace(UInt64(seed))
            #expect(trace.items.count == 75)
            for round in 0..<3 { #expect(Set(trace.items[round * 25..<(round + 1) * 25]).count == 25) }
            // 25 rows of three, of which four are visible.
            #expect(trace.offsets.allSatisfy { (0...21_000).contains($0) })
            #expect(trace.offsets.last.map { $0 % 1000 == 0 || trace.offsets.contains($0) } == true)
            let seconds = Double(trace.offsets.count * GalleryTrace.stepNanoseconds) / 1e9
            #expect((1.0...8.0).contains(seconds))
            #expect(trace.lines.count == trace.offsets.count + 1)
            // The last picture of the list's pictures is one of the twelve that are wholly visible at the end.
            let stop = try #require(trace.offsets.last) / 1000 * 3
            #expect(trace.items[stop..<stop + 12].contains(24))
        }
    }

    @Test("is stored with the pictures first, then a step a line")
    func lines() {
        let lines = trace(1).lines
        #expect(lines[0].hasPrefix("pictures "))
        #expect(lines[1] == "after 0 ms row 0.000")
        #expect(lines[2].hasPrefix("after 20 ms row "))
    }
}
