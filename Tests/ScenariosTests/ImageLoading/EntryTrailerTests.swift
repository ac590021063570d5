// SPDX-License-Identifier: Apache-2.0

import ImageLoading
import Testing

@Suite("What stands behind an entry's body")
struct EntryTrailerTests {
    static let trailer = EntryTrailer(
        url: "http://origin/ü?a=1", entityTag: "\"tag\"", bodyLength: 1 << 33, bodyDigest: (0..<32).map { UInt8($0) })

    @Test("is read as it was written")
    func roundTrip() {
        let bytes = Self.trailer.bytes
        #expect(EntryTrailer(parsing: bytes) == Self.trailer)
        let size = Self.trailer.bodyLength + bytes.count
        #expect(EntryTrailer.bodyLength(footer: Array(bytes.suffix(88)), fileSize: size) == 1 << 33)
        #expect(bytes.count == 88 + Self.trailer.url.utf8.count + 5)
    }

    @Test("is none as soon as one bit of it is another")
    func damage() {
        let bytes = Self.trailer.bytes
        for place in bytes.indices {
            for bit in 0..<8 {
                var damaged = bytes
                damaged[place] ^= 1 << UInt8(bit)
                #expect(EntryTrailer(parsing: damaged) == nil, "byte \(place), bit \(bit)")
            }
        }
    }

    @Test("is none where it is cut, longer, or of a file of another size")
    func lengths() {
        let bytes = Self.trailer.bytes
        for count in 0..<bytes.count {
            #expect(EntryTrailer(parsing: Array(bytes.prefix(count))) == nil)
            #expect(EntryTrailer(parsing: Array(bytes.suffix(count))) == nil)
        }
        #expect(EntryTrailer(parsing: [0] + bytes) == nil)
        let size = Self.trailer.bodyLength + bytes.count
        for other in [0, 88, size - 1, size + 1] {
            #expect(EntryTrailer.bodyLength(footer: Array(bytes.suffix(88)), fileSize: other) == nil)
        }
    }

    @Test("is none in bytes that nobody wrote")
    func noise() {
        for _ in 0..<2000 {
            let bytes = (0..<Int.random(in: 0..<200)).map { _ in UInt8.random(in: 0...255) }
            #expect(EntryTrailer(parsing: Array("FBimage1".utf8) + bytes) == nil)
            #expect(EntryTrailer.bodyLength(footer: Array(bytes.suffix(88)), fileSize: bytes.count) == nil)
        }
    }
}
