// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// The embedded origin's log of its last 20,000 requests.
package struct OriginLog: Sendable {
    package struct Record: Codable, Hashable, Sendable {
        package var query: [String: String]
        /// The header fields, with lower-case names.
        package var headers: [String: String]
        /// The time at which its head was read, on the monotonic clock.
        package var beganNanoseconds: Int
        /// The bytes of the body that the kernel has taken.
        package var byteCount: Int

        package init(
            query: [String: String], headers: [String: String] = [:], beganNanoseconds: Int, byteCount: Int
        ) {
            self.query = query
            self.headers = headers
            self.beganNanoseconds = beganNanoseconds
            self.byteCount = byteCount
        }

        private enum CodingKeys: String, CodingKey {
            case query, headers
            case beganNanoseconds = "began_nanoseconds"
            case byteCount = "bytes_sent"
        }
    }

    package let records: [Record]

    /// Requests the log of one path from the origin on a port of 127.0.0.1.
    package init(port: Int, path: String) throws {
        let document = try ReaderClient(port: port).document(at: "/requests?path=\(path)")
        records = try JSONDecoder().decode([Record].self, from: Data(document))
    }
}
