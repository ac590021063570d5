// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
@_exported import TestSupport
import TrialKit

/// The temporary files that failed download tasks leave to nobody.
///
/// The harness gives each trial a temporary folder of its own and removes that; the tests share theirs with the
/// machine, and remove what they can know to be theirs.
enum Leftovers {
    private static let start = time(nil)

    private static let registration: Int32 = {
        _ = start
        return atexit { Leftovers.remove() }
    }()

    /// Sees to it that nothing of these tests is left in the temporary folder when their process ends.
    static func removeAtExit() { _ = registration }

    /// Removes this user's temporary files of download tasks that were made since the start and hold nothing, or what
    /// the tests' own server sends of a body that fails.
    private static func remove() {
        let folder = FileManager.default.temporaryDirectory.path
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
            guard name.hasSuffix(".tmp"), UUID(uuidString: String(name.dropLast(4))) != nil else { continue }
            let path = folder + "/" + name
            guard let attributes = try? FileManager.default.attributesOfItem(atPath: path),
                attributes[.ownerAccountID] as? Int == Int(geteuid()),
                let changed = attributes[.modificationDate] as? Date, Int(changed.timeIntervalSince1970) >= start,
                let size = attributes[.size] as? Int, size <= TestBody.unfinished.count
            else { continue }
            let content = FileManager.default.contents(atPath: path)
            guard content == Data() || content == Data(TestBody.unfinished) else { continue }
            unlink(path)
        }
    }
}
