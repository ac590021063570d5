// SPDX-License-Identifier: Apache-2.0

import CZlib
import Hashing
import TrialKit

/// The head and the body of one answer as they arrive; of the body only lengths and hashes are kept.
final class ReferenceExchange {
    /// The header fields by their names in lower case.
    private(set) var fields: [String: String] = [:]
    private var byteCount = 0
    private var hash = SHA256()
    private var inflation: Inflation?

    /// Passes bytes of libcurl to the exchange behind a context, and returns how many there were.
    static func take(
        _ bytes: UnsafeMutablePointer<CChar>?, _ count: Int, _ context: UnsafeMutableRawPointer?,
        _ use: (ReferenceExchange, UnsafeRawBufferPointer) -> Void
    ) -> Int {
        guard let bytes, let context else { return 0 }
        use(
            Unmanaged<ReferenceExchange>.fromOpaque(context).takeUnretainedValue(),
            UnsafeRawBufferPointer(start: bytes, count: count))
        return count
    }

    /// Takes a line of a head; each status line begins a new one.
    func takeLine(_ bytes: UnsafeRawBufferPointer) {
        let line = String(decoding: bytes, as: UTF8.self)
        if line.hasPrefix("HTTP/") { fields = [:] }
        guard let colon = line.firstIndex(of: ":") else { return }
        let value = line[line.index(after: colon)...].drop(while: \.isWhitespace)
        fields[line[..<colon].lowercased()] = String(value.reversed().drop(while: \.isWhitespace).reversed())
    }

    func takePiece(_ bytes: UnsafeRawBufferPointer) {
        if byteCount == 0, let encoding, ["gzip", "x-gzip", "deflate"].contains(encoding) { inflation = Inflation() }
        byteCount += bytes.count
        hash.update(bytes)
        inflation?.take(bytes)
    }

    func body() -> ReferenceReport.Body {
        let decoded = inflation?.finished()
        return ReferenceReport.Body(
            byteCount: byteCount, sha256: hash.hexadecimal(), encoding: encoding, decodedByteCount: decoded?.byteCount,
            decodedSHA256: decoded?.sha256)
    }

    private var encoding: String? {
        fields["content-encoding"].map { $0.lowercased() }.flatMap { $0 == "identity" ? nil : $0 }
    }
}

/// Decodes gzip or zlib, and keeps length and hash.
private final class Inflation {
    private var stream = z_stream()
    private var buffer = [UInt8](repeating: 0, count: 65_536)
    private var byteCount = 0
    private var hash = SHA256()
    private var isGood: Bool
    /// True between two members of a gzip file, and at its end.
    private var isComplete = false

    init() {
        // 32 more than the window's 15 bits: the header tells gzip from zlib.
        let size = Int32(MemoryLayout<z_stream>.size)
        isGood = inflateInit2_(&stream, 15 + 32, ZLIB_VERSION, size) == Z_OK
    }

    deinit { inflateEnd(&stream) }

    func take(_ bytes: UnsafeRawBufferPointer) {
        guard isGood, let start = bytes.baseAddress else { return }
        stream.next_in = UnsafeMutablePointer(mutating: start.assumingMemoryBound(to: UInt8.self))
        stream.avail_in = UInt32(bytes.count)
        while isGood, stream.avail_in > 0 {
            if isComplete { isGood = inflateReset(&stream) == Z_OK }
            isComplete = false
            inflateSome()
        }
    }

    private func inflateSome() {
        var status = Z_OK
        repeat {
            let count = buffer.withUnsafeMutableBytes { room in
                stream.next_out = room.baseAddress?.assumingMemoryBound(to: UInt8.self)
                stream.avail_out = UInt32(room.count)
                status = inflate(&stream, Z_NO_FLUSH)
                let count = room.count - Int(stream.avail_out)
                hash.update(UnsafeRawBufferPointer(rebasing: room[..<count]))
                return count
            }
            byteCount += count
        } while status == Z_OK && stream.avail_out == 0
        isComplete = status == Z_STREAM_END
        isGood = isGood && [Z_OK, Z_STREAM_END, Z_BUF_ERROR].contains(status)
    }

    /// The decoded body; `nil` if it could not be decoded, or was cut.
    func finished() -> (byteCount: Int, sha256: String)? {
        isGood && isComplete ? (byteCount, hash.hexadecimal()) : nil
    }
}
