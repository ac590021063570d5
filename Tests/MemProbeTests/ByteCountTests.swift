// SPDX-License-Identifier: Apache-2.0

import Foundation
import MemProbe
import Testing

struct ByteCountTests {
    @Test(arguments: [
        ("0", 0), ("65536", 65536), ("64KiB", 65536), ("64 MiB", 67_108_864), ("1.5GiB", 1_610_612_736),
        ("2tib", 2_199_023_255_552), ("7B", 7), ("0.5KiB", 512),
    ])
    func sizesAreReadAsPeopleWriteThem(text: String, bytes: Int) {
        #expect(ByteCount(parsing: text) == ByteCount(bytes))
    }

    @Test(arguments: [
        "", "MiB", "64MB", "64 kb", "-1", "1.5", "0.3KiB", "1..5KiB", "64 MiB more", "9223372036854775808",
        "8388608TiB",
        "1e3", "٣KiB", "0x10", "9e99GiB",
    ])
    func everythingElseIsRefused(text: String) {
        #expect(ByteCount(parsing: text) == nil)
    }

    @Test(arguments: [(0, "0B"), (1000, "1000B"), (1024, "1KiB"), (67_108_864, "64MiB"), (1_610_612_736, "1536MiB")])
    func exactTextCanBeReadAgain(bytes: Int, text: String) {
        #expect(ByteCount(bytes).exactText == text)
        #expect(ByteCount(parsing: text) == ByteCount(bytes))
    }

    @Test func unitsAreBinary() {
        #expect(ByteCount(procKilobytes: 3) == ByteCount(3072))
        #expect(ByteCount.mebibytes(1) == ByteCount.kibibytes(1024))
        #expect(ByteCount(1_572_864).mebibytes == 1.5)
    }

    @Test func countsAddSubtractAndCompare() {
        #expect(ByteCount(3) - ByteCount(5) == ByteCount(-2))
        #expect(ByteCount(3) + .zero == ByteCount(3))
        #expect(ByteCount(3) < ByteCount(5))
    }

    @Test func aCountIsAPlainNumberInJSON() throws {
        let text = String(decoding: try JSONEncoder().encode([ByteCount(4096)]), as: UTF8.self)
        #expect(text == "[4096]")
        #expect(try JSONDecoder().decode([ByteCount].self, from: Data(text.utf8)) == [ByteCount(4096)])
    }
}
