// SPDX-License-Identifier: Apache-2.0

/// A strong validator: the identity of a body, in quotes as it stands in the header.
package struct EntityTag: Hashable, Sendable {
    package let text: String

    package init(_ identity: String) {
        text = "\"\(identity)\""
    }

    /// The tag of the same body in the gzip format.
    package var compressed: EntityTag { EntityTag("\(text.dropFirst().dropLast())-gzip") }

    /// Whether an `If-None-Match` names this tag, or every tag with `*`.
    ///
    /// Weak tags are compared without their mark, as RFC 9110, section 13.1.2 wants it.
    package func matches(ifNoneMatch values: [String]) -> Bool {
        values.flatMap { $0.split(separator: ",") }.contains { value in
            let tag = value.drop { $0 == " " }.prefix { $0 != " " }
            return tag == "*" || tag == text || (tag.hasPrefix("W/") && tag.dropFirst(2) == text)
        }
    }

    /// Whether an `If-Range` allows a part: there is none, or it is exactly this tag.
    ///
    /// A date never does, because the origin sends no `Last-Modified`.
    package func allowsRange(ifRange value: String?) -> Bool {
        value.map { $0 == text } ?? true
    }
}
