// SPDX-License-Identifier: Apache-2.0

import MemProbe
import Testing

struct StatmFileTests {
    @Test(arguments: [
        (Recording.linux3x10, 1353, 283), (.linux4x4, 1789, 1034), (.linux4x18, 11264, 4511), (.linux5x10, 189, 172),
        (.linux6x1, 264_192, 9811), (.linux6x18, 435, 406),
    ])
    func pagesAreReadOnEveryKernel(recording: Recording, resident: Int, shared: Int) throws {
        let file = try StatmFile(parsing: recording.statm)
        #expect(file.resident == resident)
        #expect(file.shared == shared)
    }

    @Test func aZombieHasNoAddressSpace() throws {
        #expect(try StatmFile(parsing: "0 0 0 0 0 0 0\n").size == 0)
    }

    @Test func theLargestNumberIsStillANumber() throws {
        #expect(try StatmFile(parsing: "\(Int.max) 1 1 0 0 0 0\n").size == Int.max)
    }

    @Test(arguments: [
        "", "\n", "765", "765 435", "765 435 \n406", "many 435 406", "765 435 406x 5", "-1 435 406", "765 43.5 406",
        "765 435 9223372036854775808", "765 99999999999999999999999999 406", "765\u{0}435 406",
    ])
    func malformedStatmThrows(text: String) {
        #expect(throws: MemProbeError(.malformed, source: "statm")) { try StatmFile(parsing: text) }
    }
}
