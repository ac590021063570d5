// SPDX-License-Identifier: Apache-2.0

import NIOHTTP1

/// The JSON array of `/requests`, encoded one record at a time.
package final class RequestsReader: BodyReader {
    private let records: [RequestRecord]
    private var encoded = 0
    /// The encoded bytes that are not read yet.
    private var pending: ArraySlice<UInt8> = [UInt8(ascii: "[")]
    private var isClosed = false

    package init(_ records: [RequestRecord]) {
        self.records = records
    }

    package var remaining: Int? { nil }

    package var isAtEnd: Bool { isClosed && pending.isEmpty }

    /// The number of pending bytes: at most those of one record.
    package var heldByteCount: Int { pending.count }

    package func read(into buffer: UnsafeMutableRawBufferPointer) throws(AssetError) -> Int {
        var count = 0
        while count < buffer.count, !isAtEnd {
            if pending.isEmpty { try refill() }
            let part = pending.prefix(buffer.count - count)
            UnsafeMutableRawBufferPointer(rebasing: buffer[count...]).copyBytes(from: part)
            pending = pending.dropFirst(part.count)
            count += part.count
        }
        return count
    }

    /// The total number of bytes, counted by consuming the reader.
    package func byteCount() throws(Refusal) -> Int {
        var total = 0
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        while !isAtEnd {
            let made: Result<Int, AssetError> = buffer.withUnsafeMutableBytes { memory in
                do throws(AssetError) { return .success(try read(into: memory)) } catch { return .failure(error) }
            }
            guard let count = try? made.get() else { throw Refusal(.internalServerError, "the log cannot be encoded") }
            total += count
        }
        return total
    }

    private func refill() throws(AssetError) {
        guard encoded < records.count else {
            pending = ArraySlice("]\n".utf8)
            isClosed = true
            return
        }
        do throws(Refusal) {
            // Without its newline.
            let json = try Ledger.json(records[encoded]).dropLast()
            pending = encoded == 0 ? json : [UInt8(ascii: ",")] + json
        } catch {
            throw AssetError(.malformed, error.text)
        }
        encoded += 1
    }
}
