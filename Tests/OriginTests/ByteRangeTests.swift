// SPDX-License-Identifier: Apache-2.0

import Origin
import Testing

@Suite("A Range header")
struct ByteRangeTests {
    @Test(
        "is read in its three forms",
        arguments: [
            ("bytes=0-99", ByteRange.closed(first: 0, last: 99)),
            ("bytes=5-5", .closed(first: 5, last: 5)),
            ("BYTES=100-", .from(first: 100)),
            ("bytes=-20", .suffix(count: 20)),
            ("bytes=0-99999999999999999999", .closed(first: 0, last: .max)),
        ])
    func wellFormed(text: String, expected: ByteRange) {
        #expect(ByteRange(parsing: text) == expected)
    }

    @Test(
        "is ignored when it is malformed, of another unit or of several parts",
        arguments: [
            "", "bytes", "bytes=", "bytes=-", "bytes=9-3", "bytes=a-b", "bytes=+1-2", "bytes=1-2,5-6", "items=0-1",
            "bytes=1", "bytes=--1", "bytes=1-2 ", "bytes=0x1-2",
        ])
    func malformed(text: String) {
        #expect(ByteRange(parsing: text) == nil)
    }

    @Test(
        "is cut to the body or cannot be satisfied",
        arguments: [
            (ByteRange.closed(first: 0, last: 9), 100, 0..<10),
            (.closed(first: 90, last: 1000), 100, 90..<100),
            (.closed(first: 99, last: .max), 100, 99..<100),
            (.closed(first: 100, last: 100), 100, nil),
            (.from(first: 40), 100, 40..<100),
            (.from(first: 100), 100, nil),
            (.suffix(count: 10), 100, 90..<100),
            (.suffix(count: 1000), 100, 0..<100),
            (.suffix(count: 0), 100, nil),
            (.suffix(count: 5), 0, nil),
            (.from(first: 0), 0, nil),
        ] as [(ByteRange, Int, Range<Int>?)])
    func resolved(range: ByteRange, size: Int, expected: Range<Int>?) {
        #expect(range.resolved(in: size) == expected)
    }
}
