// SPDX-License-Identifier: Apache-2.0

/// A body longer than three of the fetchers' buffers, and not a multiple of one.
enum TestBody {
    /// What arrives of a body whose fetch fails: ``Leftovers`` knows it by these bytes.
    static let unfinished = Array("what arrives of a body whose fetch fails in a test of fetchbench".utf8)

    static let bytes = (0..<200_003).map { UInt8($0 % 251) }

    /// Printed by `python3 -c 'import sys; sys.stdout.buffer.write(bytes(i % 251 for i in range(200003)))' | sha256sum`.
    static let sha256 = "49cbf04ab31e40bccff20650404805fc4a1f508e56d891f406ec592a2176d2e4"
}
