// SPDX-License-Identifier: Apache-2.0

package import NIOHTTP1

/// A request that gets no asset, and why.
package struct Refusal: Error, Hashable, Sendable {
    /// What is answered.
    package var status: HTTPResponseStatus
    /// The short text of the body.
    package var text: String

    /// Creates a refusal.
    package init(_ status: HTTPResponseStatus, _ text: String) {
        self.status = status
        self.text = text
    }
}
