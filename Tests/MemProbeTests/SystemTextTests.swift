// SPDX-License-Identifier: Apache-2.0

import MemProbe
import Testing

/// Bytes of the operating system as strings, and back.
struct SystemTextTests {
    @Test func everyPairOfBytesComesBack() {
        for first in UInt8.min...UInt8.max {
            for second in UInt8.min...UInt8.max {
                let bytes = [first, second]
                #expect(SystemText.bytes(of: SystemText.string(of: bytes)) == bytes)
            }
        }
    }

    /// Pieces of UTF-8, and what looks like it: overlong forms, surrogates, more than U+10FFFF, cut sequences.
    @Test func whatIsNearlyTextComesBack() {
        let pieces: [[UInt8]] = [
            Array("a".utf8), Array("é".utf8), Array("e\u{301}".utf8), Array("€".utf8), Array("😀".utf8), [0xC0, 0x80],
            [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xE2, 0x82], [0xF0, 0x9F, 0x98], [0xFF], [0x80],
            Array("\u{10F780}".utf8), Array("\u{10F7FF}".utf8), Array("\u{10F800}".utf8), Array("\u{FFFD}".utf8),
        ]
        for first in pieces {
            for second in pieces {
                for third in pieces {
                    let bytes = first + second + third
                    #expect(SystemText.bytes(of: SystemText.string(of: bytes)) == bytes, "\(bytes)")
                }
            }
        }
    }

    @Test func textStaysText() {
        for text in ["", "plain", "Zoë", "e\u{301}", "😀", "\u{FFFD}", "\u{F0000}"] {
            #expect(SystemText.string(of: Array(text.utf8)).unicodeScalars.elementsEqual(text.unicodeScalars))
            #expect(SystemText.isUTF8(text))
        }
        #expect(!SystemText.isUTF8(SystemText.string(of: [0xE9])))
    }
}
