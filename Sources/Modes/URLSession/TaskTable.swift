// SPDX-License-Identifier: Apache-2.0

import FoundationNetworking
import Synchronization

/// What a session's delegate knows of each task that is under way.
final class TaskTable<Entry: Sendable>: Sendable {
    private let entries = Mutex<[Int: Entry]>([:])

    /// What belongs to a task, or `nil` where it is unknown.
    subscript(task: URLSessionTask) -> Entry? {
        get { entries.withLock { $0[task.taskIdentifier] } }
        set { entries.withLock { $0[task.taskIdentifier] = newValue } }
    }

    /// Forgets a task, and gives back what belonged to it.
    func remove(_ task: URLSessionTask) -> Entry? {
        entries.withLock { $0.removeValue(forKey: task.taskIdentifier) }
    }
}
