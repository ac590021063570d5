// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// What the embedded origin says of the requests that it has had, the last 20,000 of them.
package struct OriginLog: Sendable {
    package struct Record: Codable, Hashable, Sendable {
        package var query: [String: String]
        /// When its head was read, on the monotonic clock, in nanoseconds.
        package var beganNanoseconds: Int
        /// How many bytes of the body the kernel has taken.
        package var byteCount: Int

        package init(query: [String: String], beganNanoseconds: Int, byteCount: Int) {
            self.query = query
            self.beganNanoseconds = beganNanoseconds
            self.byteCount = byteCount
        }

        private enum CodingKeys: String, CodingKey {
            case query
            case beganNanoseconds = "began_nanoseconds"
            case byteCount = "bytes_sent"
        }
    }

    package let records: [Record]

    /// Asks the origin on a port of 127.0.0.1.
    /// - Parameter path: Of which path.
    init(port: Int, path: String) throws {
        var text: [UInt8] = []
        _ = try ReaderClient(port: port).read("/requests?path=\(path)") { text += $0 }
        records = try JSONDecoder().decode([Record].self, from: Data(Self.unchunked(text)))
    }

    /// A body as it was before it was cut into chunks, with the size of each in front of it; of a JSON array that comes in
    /// one piece the same.
    package static func unchunked(_ body: [UInt8]) -> [UInt8] {
        guard body.first != UInt8(ascii: "[") else { return body }
        var whole: [UInt8] = []
        var rest = body[...]
        while let end = rest.firstIndex(of: UInt8(ascii: "\r")),
            let count = Int(String(decoding: rest[..<end], as: UTF8.self), radix: 16), count > 0
        {
            let chunk = rest[end...].dropFirst(2).prefix(count)
            whole += chunk
            rest = rest[chunk.endIndex...].dropFirst(2)
        }
        return whole
    }
}
