// SPDX-License-Identifier: Apache-2.0

import TrialKit

/// Does what blocks, or what must not be limited by the number of cores, on a thread of its own.
///
/// Swift's tasks share as many threads as the machine has cores: on two of them four decodes at once would be two.
enum Blocking {
    /// Does the work and waits for it without a thread.
    static func run<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            do throws(FetchFailure) {
                try DetachedThread.run { continuation.resume(returning: work()) }
            } catch {
                // The system gives no thread: late is better than not at all.
                continuation.resume(returning: work())
            }
        }
    }
}
