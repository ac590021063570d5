// SPDX-License-Identifier: Apache-2.0

import TrialKit

/// A body longer than three of the fetchers' buffers, and not a multiple of one; it is ASCII, so that every mode takes it.
enum TestBody {
    /// What arrives of a body whose fetch fails: ``Leftovers`` knows it by these bytes.
    static let unfinished = Array("what arrives of a body whose fetch fails in a test of fetchbench".utf8)

    static let bytes = (0..<200_003).map { UInt8($0 % 127) }

    /// Printed by `python3 -c 'import sys; sys.stdout.buffer.write(bytes(i % 127 for i in range(200003)))' | sha256sum`.
    static let sha256 = "2b780c8fc619d325d4a07fff7e133aa1bb82945b8b1fd0e4ba52e2b45406b1db"

    /// The SHA-256 of other bytes.
    static func sha256(of bytes: [UInt8]) -> String? {
        var hash = StreamedHash(.sha256)
        bytes.withUnsafeBytes { hash.update($0) }
        return hash.finish()
    }
}
