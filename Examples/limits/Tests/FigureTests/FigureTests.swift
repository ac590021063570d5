// SPDX-License-Identifier: Apache-2.0

import MemProbeTesting
import Memory
import Testing

// A limit of nothing: the failure tells the figure. `Benchmarks/limit-bars.py` reads it.
@Test(.peakMemory(under: .zero), arguments: [1, 10, 50]) func planted(mebibytes: Int) {
    #expect(HeldMemory(mebibytes: mebibytes).checksum > 0)
}

@Test(.leakLimit(bytesPerRepetition: 16, repetitions: 200)) func leaking() {
    leak(bytes: 64)
}

@Test(.leakLimit(bytesPerRepetition: 16, repetitions: 200)) func clean() async {
    await Task.yield()
    #expect(borrow(bytes: 64) > 0)
}
