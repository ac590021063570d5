// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc

/// Folders that are gone afterwards.
package enum TemporaryFolder {
    /// Does `body` with a new folder within another one, and removes it whatever happens.
    package static func with<Value>(
        in parent: String, _ body: (String) async throws -> Value
    ) async throws -> Value {
        var template = Array((parent + "/fetchbench-XXXXXX").utf8CString)
        guard let name = mkdtemp(&template) else {
            throw FileFailure.cannotWrite(name: "the temporary folder (TMPDIR)", errno: errno)
        }
        let path = String(cString: name)
        defer { try? FileManager.default.removeItem(atPath: path) }
        return try await body(path)
    }
}
