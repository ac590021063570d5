// SPDX-License-Identifier: Apache-2.0

import FoundationNetworking
import Synchronization

/// The entry of a session's delegate for each current task.
final class TaskTable<Entry: Sendable>: Sendable {
    private let entries = Mutex<[Int: Entry]>([:])

    subscript(task: URLSessionTask) -> Entry? {
        get { entries.withLock { $0[task.taskIdentifier] } }
        set { entries.withLock { $0[task.taskIdentifier] = newValue } }
    }

    /// Removes and returns the entry of a task.
    func remove(_ task: URLSessionTask) -> Entry? {
        entries.withLock { $0.removeValue(forKey: task.taskIdentifier) }
    }
}
