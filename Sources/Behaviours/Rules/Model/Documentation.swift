// SPDX-License-Identifier: Apache-2.0

/// The document that promises a behaviour, or that leaves it open.
package struct Documentation: Codable, Hashable, Sendable {
    /// The author and the place: `Apple, URLSessionTask.suspend()`.
    package var source: String
    package var link: String
    /// The statement of a document that does not promise the behaviour; `nil` if it does.
    package var says: String?

    package init(_ source: String, link: String, says: String? = nil) {
        self.source = source
        self.link = link
        self.says = says
    }

    package var isPromise: Bool { says == nil }
}
