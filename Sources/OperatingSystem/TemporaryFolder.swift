// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import MemProbe
import Texts

package enum TemporaryFolder {
    /// Runs `body` with a new folder in `parent`, and removes it afterwards.
    /// - Parameter place: The name of the parent in messages.
    package static func with<Value>(
        in parent: String, called place: String = "the temporary folder (TMPDIR)",
        _ body: (String) async throws -> Value
    ) async throws -> Value {
        let (path, keeper) = try made(in: parent, place)
        // The keeper must outlive the folder.
        defer {
            try? FileManager.default.removeItem(atPath: path)
            withExtendedLifetime(keeper) {}
        }
        return try await body(path)
    }

    private static func made(in parent: String, _ place: String) throws -> (String, KeptFolder) {
        var reason = FetchBenchError.obstacle(ofPath: parent) ?? EEXIST
        // One random name may be taken; a hundred are not.
        for _ in 0..<100 where reason == EEXIST {
            let path = parent + "/fetchbench-" + name()
            do throws(MemProbeError) {
                return (path, try KeptFolder(at: path))
            } catch {
                reason = error.errno ?? EIO
            }
        }
        throw FetchBenchError.cannotWrite(name: place, errno: reason)
    }

    private static func name() -> String {
        let letters = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
        return String((0..<6).compactMap { _ in letters.randomElement() })
    }
}
