// SPDX-License-Identifier: Apache-2.0

/// The figures of the kernel and the origin at one mark of a probe.
package struct Reading: Codable, Hashable, Sendable {
    package var mark: String
    /// The time in nanoseconds of the monotonic clock.
    package var time: Int
    package var residentBytes: Int
    package var anonymousBytes: Int
    package var descriptors: Int
    package var threads: Int
    /// The files in the child's folder.
    package var files: [SeenFile]
    package var requests: Int
    /// The bytes of bodies that the origin's kernel had taken.
    package var bytesSent: Int

    package init(
        _ mark: String, time: Int = 0, residentBytes: Int = 0, anonymousBytes: Int = 0, descriptors: Int = 8,
        threads: Int = 4, files: [SeenFile] = [], requests: Int = 0, bytesSent: Int = 0
    ) {
        self.mark = mark
        self.time = time
        self.residentBytes = residentBytes
        self.anonymousBytes = anonymousBytes
        self.descriptors = descriptors
        self.threads = threads
        self.files = files
        self.requests = requests
        self.bytesSent = bytesSent
    }

    private enum CodingKeys: String, CodingKey {
        case mark, descriptors, threads, files, requests
        case time = "time_ns"
        case residentBytes = "resident_bytes"
        case anonymousBytes = "anonymous_bytes"
        case bytesSent = "bytes_sent"
    }
}
