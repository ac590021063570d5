// SPDX-License-Identifier: Apache-2.0

import Foundation
import ImageLoading
import Rendering

// Uses a file cache in a process of its own, which can be killed, measured, or given a small device:
// `image-cache-fixture write FOLDER BYTES`   stores one entry after the other until it is killed
// `image-cache-fixture fill FOLDER BYTES N`  stores N entries, and prints what became of each
// `image-cache-fixture cost FOLDER mapped|copied`  gets the one entry, and prints what that cost

/// The bytes of the entry of a number: each 8 of them tell which entry and which place.
func body(_ number: Int, byteCount: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: byteCount / 8 * 8)
    bytes.withUnsafeMutableBytes { buffer in
        let words = buffer.bindMemory(to: UInt64.self)
        for index in words.indices { words[index] = UInt64(number) << 32 | UInt64(index) }
    }
    return bytes
}

func store(_ number: Int, byteCount: Int, in cache: FileCache) async -> StoreOutcome {
    let bytes = body(number, byteCount: byteCount)
    return await cache.store(
        CachedImage(encoded: EncodedImage(.memory(bytes), byteCount: bytes.count)),
        for: ImageKey(url: "http://origin/\(number)"))
}

func anonymousBytes() throws -> Int {
    let text = try String(contentsOfFile: "/proc/self/smaps_rollup", encoding: .utf8)
    let line = text.split(separator: "\n").first { $0.hasPrefix("Anonymous:") }
    return line.flatMap { $0.split(separator: " ").dropLast().last }.flatMap { Int($0) }.map { $0 * 1024 } ?? -1
}

/// The growth of anonymous memory in bytes while an entry is held.
func cost(_ folder: String, _ reading: FileReading) async throws -> Int {
    let cache = try FileCache(folder: folder, limit: nil, reading: reading)
    // One-time allocations do not belong to the entry.
    _ = await cache.image(for: ImageKey(url: "http://origin/none"))
    _ = await store(1_000_000, byteCount: 4096, in: cache)
    _ = await cache.image(for: ImageKey(url: "http://origin/1000000"))
    _ = try anonymousBytes()
    let before = try anonymousBytes()
    let image = await cache.image(for: ImageKey(url: "http://origin/1"))
    guard let bytes = image?.encoded?.bytes else { return -1 }
    // Read whole, as a decoder does.
    let sum = try bytes.withBytes { buffer in buffer.reduce(0) { $0 &+ Int($1) } }
    let growth = try anonymousBytes() - before
    return sum == 0 ? -1 : growth
}

let arguments = Array(CommandLine.arguments.dropFirst())
switch arguments.first {
case "write" where arguments.count == 3:
    let cache = try FileCache(folder: arguments[1], limit: nil, reading: .mapped)
    print("ready")
    fflush(nil)
    var number = cache.account.entryCount
    while true {
        number += 1
        _ = await store(number % 8, byteCount: Int(arguments[2]) ?? 0, in: cache)
    }
case "fill" where arguments.count == 4:
    let cache = try FileCache(folder: arguments[1], limit: nil, reading: .mapped)
    for number in 1...(Int(arguments[3]) ?? 1) {
        print(await store(number, byteCount: Int(arguments[2]) ?? 0, in: cache))
    }
case "cost" where arguments.count == 3:
    print(try await cost(arguments[1], FileReading(rawValue: arguments[2]) ?? .mapped))
default:
    FileHandle.standardError.write(Data("usage: image-cache-fixture write|fill|cost FOLDER …\n".utf8))
    exit(64)
}
