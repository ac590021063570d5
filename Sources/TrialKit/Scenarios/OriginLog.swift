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
        let document = try ReaderClient(port: port).document(at: "/requests?path=\(path)")
        records = try JSONDecoder().decode([Record].self, from: Data(document))
    }
}
