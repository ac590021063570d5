// SPDX-License-Identifier: Apache-2.0

package import TrialKit

extension FetchConditions {
    /// What differs from the usual: `concurrency=5`, `delay=200us`.
    package var words: [String] {
        var words: [String] = []
        if concurrency != 1 { words.append("concurrency=\(concurrency)") }
        if consumerDelayNanoseconds != 0 {
            words.append("delay=\(DurationText.text(ofNanoseconds: consumerDelayNanoseconds))")
        }
        if session != .ephemeral { words.append("session=\(session.rawValue)") }
        if transfer != .length { words.append("transfer=\(transfer.rawValue)") }
        if scheme != .http { words.append("scheme=\(scheme.rawValue)") }
        return words
    }

    /// The same without a slow consumer.
    package var withoutDelay: FetchConditions {
        var conditions = self
        conditions.consumerDelayNanoseconds = 0
        return conditions
    }
}
