// SPDX-License-Identifier: Apache-2.0

import MemProbe
import Runs
import Testing

@Suite("A rate")
struct TransferRateTests {
    @Test(
        "is a size a second or unlimited",
        arguments: [
            ("unlimited", TransferRate.unlimited),
            ("60MiB", .bytesPerSecond(.mebibytes(60))),
            ("60MiB/s", .bytesPerSecond(.mebibytes(60))),
            ("1000", .bytesPerSecond(ByteCount(1000))),
        ])
    func parsed(text: String, rate: TransferRate) {
        #expect(TransferRate(parsing: text) == rate)
        #expect(TransferRate(parsing: rate.text) == rate)
    }

    @Test("is never 0, negative or in units of two meanings", arguments: ["", "0", "0MiB", "-1", "60MB", "fast", "/s"])
    func refused(text: String) {
        #expect(TransferRate(parsing: text) == nil)
    }
}
