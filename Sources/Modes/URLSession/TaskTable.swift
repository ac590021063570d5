// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationNetworking
import Synchronization
import TrialKit

/// The entry of a session's delegate for each current task.
final class TaskTable<Entry: Sendable>: Sendable {
    private let entries = Mutex<[Int: Entry]>([:])

    subscript(task: URLSessionTask) -> Entry? {
        get { entries.withLock { $0[task.taskIdentifier] } }
        set { entries.withLock { $0[task.taskIdentifier] = newValue } }
    }

    func remove(_ task: URLSessionTask) -> Entry? {
        entries.withLock { $0.removeValue(forKey: task.taskIdentifier) }
    }
}

/// A session's delegate with a table of its tasks, guarded redirects and the consumer's delay.
///
/// Unchecked because a class with subclasses cannot be checked: it is immutable, as its subclasses are. It conforms to
/// no protocol, because methods that a subclass adds to a protocol of its superclass are not called.
class TaskDelegate<Entry: Sendable>: NSObject, @unchecked Sendable {
    let transfers: TaskTable<Entry>
    let delay: ConsumerDelay
    private let redirects: RedirectGuard

    init(_ transfers: TaskTable<Entry>, _ settings: FetchSettings) {
        self.transfers = transfers
        delay = ConsumerDelay(settings)
        redirects = RedirectGuard(settings)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(redirects.allowed(request))
    }
}
