// SPDX-License-Identifier: Apache-2.0

import AssetServer
import Hashing
import Testing

@Suite struct HeroImageTests {
    @Test(arguments: HeroImage.Variant.allCases)
    func everyMachineMakesTheSameFile(variant: HeroImage.Variant) throws {
        let bytes = try HeroImage.encode(variant)
        #expect(SHA256.hexadecimal(of: bytes) == HeroImage.expectedSHA256(variant))

        let frame = try HeroImage.describe(bytes)
        #expect(frame.width == HeroImage.width)
        #expect(frame.height == HeroImage.height)
        #expect(frame.isProgressive == (variant == .progressive))
        if variant == .baseline {
            #expect((12_969_000...13_231_000).contains(bytes.count), "13.1 MB within 1 %")
        }
    }

    @Test(
        arguments: [
            [], [0xFF, 0xD8], Array("not a picture at all".utf8),
            // A scan without a frame in front of it.
            [0xFF, 0xD8, 0xFF, 0xDA, 0, 2, 1, 2, 3, 4, 5, 6, 7, 8, 9],
            // A frame header that ends before its width.
            [0xFF, 0xD8, 0xFF, 0xC0, 0, 17, 8, 0, 16],
        ] as [[UInt8]])
    func bytesWithoutFrameAreRefused(bytes: [UInt8]) {
        let error = #expect(throws: AssetError.self) { try HeroImage.describe(bytes) }
        #expect(error?.code == .image)
    }
}
