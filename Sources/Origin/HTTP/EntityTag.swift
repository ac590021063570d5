// SPDX-License-Identifier: Apache-2.0

/// A strong validator: the identity of a body, in quotes as in the header.
package struct EntityTag: Hashable, Sendable {
    package let text: String

    package init(_ identity: String) {
        text = "\"\(identity)\""
    }

    /// The tag of the same body in the gzip format.
    package var compressed: EntityTag { EntityTag("\(text.dropFirst().dropLast())-gzip") }

    /// True if an `If-None-Match` contains this tag or `*`.
    ///
    /// Weak tags are compared without their mark (RFC 9110, section 13.1.2).
    package func matches(ifNoneMatch values: [String]) -> Bool {
        values.flatMap { $0.split(separator: ",") }.contains { value in
            let tag = value.drop { $0 == " " }.prefix { $0 != " " }
            return tag == "*" || tag == text || (tag.hasPrefix("W/") && tag.dropFirst(2) == text)
        }
    }

    /// True if an `If-Range` is absent or exactly this tag.
    ///
    /// A date never matches, because the origin sends no `Last-Modified`.
    package func allowsRange(ifRange value: String?) -> Bool {
        value.map { $0 == text } ?? true
    }
}
