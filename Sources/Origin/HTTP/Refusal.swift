// SPDX-License-Identifier: Apache-2.0

package import NIOHTTP1

/// A request that gets no asset, and why.
package struct Refusal: Error, Hashable, Sendable {
    package var status: HTTPResponseStatus
    /// The short text of the body.
    package var text: String

    /// The methods that would be answered, as a 405 has to say.
    package var allowedMethods: String

    package init(_ status: HTTPResponseStatus, _ text: String, allowedMethods: String = "GET, HEAD") {
        self.allowedMethods = allowedMethods
        self.status = status
        self.text = text
    }
}
