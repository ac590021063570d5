// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import ImageLoading
import Rendering
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5)))
struct FullDeviceTests {
    /// The calls of a device with so much room, which counts what lies in the folder.
    private func calls(of folder: String, room: Int) -> FileCalls {
        FileCalls { descriptor, bytes in
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            let used = names.reduce(0) { sum, name in
                sum + ((try? FileManager.default.attributesOfItem(atPath: folder + "/" + name)[.size] as? Int) ?? 0)
            }
            guard used < room else { return -Int(ENOSPC) }
            // As a device does: what still fits is written, and the next call fails.
            return FileCalls.system.write(descriptor, UnsafeRawBufferPointer(rebasing: bytes.prefix(room - used)))
        }
    }

    private func files(in folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0 != "lock" }
    }

    @Test func letsGoOfTheEntriesUsedLongestAgoUntilTheNewOneFits() async throws {
        try await withTemporaryFolder { folder in
            let calls = calls(of: folder, room: 100_000)
            let cache = try FileCache(folder: folder, limit: nil, reading: .copied, calls: calls)
            for number in 0..<20 {
                #expect(
                    await cache.store(TestImages.encoded(UInt8(number), count: 30_000), for: ImageKey(url: "\(number)"))
                        == .kept)
                #expect(cache.account.byteCount <= 100_000)
                // Data written before the device was full needs no more room.
                #expect(cache.account.entryCount == min(number + 1, 3))
            }
            for number in 17..<20 {
                let image = try #require(await cache.image(for: ImageKey(url: "\(number)"))?.encoded)
                #expect(try image.copied() == [UInt8](repeating: UInt8(number), count: 30_000))
            }
            #expect(try files(in: folder).count == 3)
        }
    }

    @Test func letsGoOfOneEntryForWhatIsMissingBehindABodyThatIsThere() async throws {
        try await withTemporaryFolder { folder in
            let calls = calls(of: folder, room: 100_000)
            let cache = try FileCache(folder: folder, limit: nil, reading: .mapped, calls: calls)
            for number in 0..<5 {
                let image = TestImages.encoded(UInt8(number), count: 10_000)
                #expect(await cache.store(image, for: ImageKey(url: "\(number)")) == .kept)
            }
            // A download that just fits; what stands behind it does not.
            let (path, count) = (cache.partialPath(), 100_000 - cache.account.byteCount)
            #expect(FileManager.default.createFile(atPath: path, contents: Data(count: count)))
            let image = EncodedImage(.mapped(try MappedFile(path: path)), byteCount: count, ownFile: path)
            #expect(await cache.store(CachedImage(encoded: image), for: ImageKey(url: "own")) == .kept)
            #expect(cache.account.entryCount == 5)
            #expect(await cache.image(for: ImageKey(url: "0")) == nil)
            #expect(await cache.image(for: ImageKey(url: "1")) != nil)
            #expect(await cache.image(for: ImageKey(url: "own"))?.encoded?.byteCount == count)
        }
    }

    @Test func refusesWhatDoesNotFitEvenAloneAndLeavesNothingOfIt() async throws {
        try await withTemporaryFolder { folder in
            let calls = calls(of: folder, room: 20_000)
            let cache = try FileCache(folder: folder, limit: nil, reading: .copied, calls: calls)
            #expect(await cache.store(TestImages.encoded(1, count: 10_000), for: ImageKey(url: "a")) == .kept)
            #expect(await cache.store(TestImages.encoded(1, count: 30_000), for: ImageKey(url: "b")) == .noSpace)
            #expect(try files(in: folder).isEmpty)
            #expect(await cache.store(TestImages.encoded(1, count: 10_000), for: ImageKey(url: "a")) == .kept)
        }
    }

    @Test func saysWhatElseTheSystemRefusesWith() async throws {
        try await withTemporaryFolder { folder in
            let cache = try FileCache(
                folder: folder, limit: nil, reading: .copied, calls: FileCalls { _, _ in -Int(EIO) })
            let outcome = await cache.store(TestImages.encoded(1, count: 10), for: ImageKey(url: "a"))
            #expect(outcome == .failed(String(cString: strerror(EIO))))
            #expect(try files(in: folder).isEmpty)
        }
    }

    private static let mayMount = {
        let result = try? CacheFixture.run(
            URL(fileURLWithPath: "/usr/bin/unshare"),
            ["--mount", "sh", "-c", "mount -t tmpfs -o size=64k none /mnt && echo mounted"])
        return result?.text == "mounted\n"
    }()

    @Test(.enabled(if: mayMount, "no right to mount a small device"))
    func ofTheKernelsOwnToo() throws {
        try withTemporaryFolder { folder in
            let script = """
                mount -t tmpfs -o size=1m none "$1" && "$0" fill "$1/images" 300000 12 && ls "$1/images" && \
                "$0" fill "$1/images" 2000000 1 && ls "$1/images"
                """
            let fixture = try CacheFixture.executable().path
            let result = try CacheFixture.run(
                URL(fileURLWithPath: "/usr/bin/unshare"), ["--mount", "sh", "-c", script, fixture, folder])
            #expect(result.status == 0)
            let lines = result.text.split(separator: "\n").map(String.init)
            #expect(lines.prefix(12).allSatisfy { $0 == "kept" })
            // Three of 300 KB, as the kernel counts; then one of 2 MB, for which everything goes, in vain.
            #expect(lines.dropFirst(12).filter { $0.hasSuffix(".image") }.count == 3)
            #expect(lines.contains("noSpace"))
            #expect(lines.suffix(2) == ["noSpace", "lock"])
        }
    }
}
