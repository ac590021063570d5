// SPDX-License-Identifier: Apache-2.0

import Foundation
import Origin
import Synchronization

/// A cache folder of a test, with a factory whose images are small and counted.
final class TestLibrary: Sendable {
    static let imageByteCount = 200_000

    let directory: String

    private let encoded = Mutex(0)

    init() {
        directory = FileManager.default.temporaryDirectory.appendingPathComponent("assets-\(UUID().uuidString)").path
    }

    deinit { try? FileManager.default.removeItem(atPath: directory) }

    var encodings: Int { encoded.withLock { $0 } }

    func library(
        generatorVersion: Int = 1, expected: String = "", recordedPixels: String = "pixels",
        recordedByteCount: Int = imageByteCount
    ) -> AssetLibrary {
        let factory = ImageFactory(
            generatorVersion: generatorVersion, encoderVersion: { _ in "test 1" },
            encode: { [self] image in
                encoded.withLock { $0 += 1 }
                return LibraryImage.Encoded(bytes: try Self.bytes(of: image, generatorVersion), pixelsSHA256: "pixels")
            },
            facts: { _ in ImageFacts(recordedByteCount, expected, pixels: recordedPixels) },
            header: { bytes in LibraryImage.all[Int(bytes[0])].header })
        return AssetLibrary(cacheDirectory: directory, factory: factory)
    }

    private static func bytes(of image: LibraryImage, _ version: Int) throws -> [UInt8] {
        let source = try GeneratedBytes(byteCount: imageByteCount, seed: UInt64(version))
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: imageByteCount, alignment: 1)
        defer { buffer.deallocate() }
        try source.read(into: buffer, at: 0)
        buffer[0] = UInt8(LibraryImage.all.firstIndex(of: image) ?? 0)
        return Array(buffer)
    }

    func path(_ name: String) -> String { "\(directory)/\(name)" }

    func names() throws -> Set<String> {
        Set(try FileManager.default.contentsOfDirectory(atPath: directory).filter { !$0.hasSuffix(".lock") })
    }
}
