// SPDX-License-Identifier: Apache-2.0

import Rendering
import Testing
import TrialKit

/// Pictures with a flaw, which all render models show or refuse alike; `Benchmarks/damaged-pictures.py` asks other programs.
extension PictureTests {
    enum Damage: CaseIterable {
        case restarted, cut, unknownMarker, secondStart, earlyEnd, flipped, missing, filler, trailing

        /// Those after which every viewer shows a JPEG.
        static let harmless: [Damage] = [.flipped, .filler, .trailing]

        func of(_ whole: [UInt8]) -> [UInt8] {
            var half = whole.count / 2
            while whole[half - 1..<half + 8].contains(0xFF) { half += 1 }
            func replaced(_ bytes: UInt8...) -> [UInt8] {
                Array(whole[..<half]) + bytes + whole[(half + bytes.count)...]
            }
            switch self {
            case .restarted: return Array(whole.prefix(whole.count / 10)) + whole
            case .cut: return Array(whole[..<half])
            case .unknownMarker: return replaced(0xFF, 0x9E)
            case .secondStart: return replaced(0xFF, 0xD8)
            case .earlyEnd: return replaced(0xFF, 0xD9)
            case .flipped: return replaced(whole[half] ^ 0x55)
            case .missing: return Array(whole[..<half] + whole[(half + 7)...])
            case .filler:
                let end = 4 + (Int(whole[4]) << 8 | Int(whole[5]))
                return Array(whole[..<end]) + [0, 0, 0] + whole[end...]
            case .trailing: return whole + [UInt8](repeating: 0, count: 500)
            }
        }
    }

    @Test(arguments: ["jpeg", "jpeg-progressive", "jpeg-gray", "webp", "webp-lossless", "png"], Damage.allCases)
    func allModelsDecideAlike(kind: String, damage: Damage) throws {
        if damage == .filler, !kind.hasPrefix("jpeg") { return }
        let bytes = damage.of(try Pillow.make(kind, PixelSize(width: 160, height: 120)))
        let ledger = BitmapLedger()
        var codes: Set<RenderFailure.Code?> = []
        for model in RenderCatalog.all {
            let renderer = try model.makeRenderer(RenderSettings(viewWidth: 60, viewHeight: 60))
            do throws(RenderFailure) {
                let image = try renderer.render(FetchedBody(content: .memory(bytes), byteCount: bytes.count))
                if damage == .filler { #expect(image.note?.contains("warns") == true, "\(model.name)") }
                codes.insert(nil)
            } catch {
                codes.insert(error.code)
            }
        }
        #expect(codes.count == 1, "\(codes)")
        // Of a progressive one, the next scan begins before the last row of this one.
        if kind.hasPrefix("jpeg"), damage != .missing {
            #expect(codes.contains(nil) == Damage.harmless.contains(damage))
        }
        if damage == .cut { #expect(codes == [.truncatedImage]) }
        #expect(ledger.liveByteCount == 0)
    }

    /// An orientation as a long number, and one behind the pixels of a PNG, which a stream cannot know in time.
    @Test func anOrientationIsReadWhereItIs() throws {
        let exif: [UInt8] = [0x49, 0x49, 0x2A, 0, 8, 0, 0, 0, 1, 0, 0x12, 1, 4, 0, 1, 0, 0, 0, 6, 0, 0, 0]
        #expect(exif.withUnsafeBytes { Orientation(exif: $0) } == .right)
        let png = try Pillow.make("png", PixelSize(width: 160, height: 120))
        // libpng reads no check sum of a chunk that is not passed on.
        let late =
            png.dropLast(12) + [0, 0, 0, UInt8(exif.count)] + Array("eXIf".utf8) + exif + [0, 0, 0, 0] + png.suffix(12)
        let renderer = try StreamThumbnailModel(ledger: BitmapLedger()).makeRenderer(
            RenderSettings(viewWidth: 60, viewHeight: 60))
        let image = try renderer.render(FetchedBody(content: .memory(late), byteCount: late.count))
        #expect(image.decodedWidth == 45 && image.decodedHeight == 60)
        #expect(image.note?.contains("behind its pixels") == true)
    }
}
