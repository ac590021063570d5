// SPDX-License-Identifier: Apache-2.0

package import NIOHTTP1

/// The reason why a request gets no asset.
package struct Refusal: Error, Hashable, Sendable {
    package var status: HTTPResponseStatus
    package var text: String

    /// The value of `Allow` in an answer of 405.
    package var allowedMethods: String

    package init(_ status: HTTPResponseStatus, _ text: String, allowedMethods: String = "GET, HEAD") {
        self.allowedMethods = allowedMethods
        self.status = status
        self.text = text
    }
}
