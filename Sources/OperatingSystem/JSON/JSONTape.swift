// SPDX-License-Identifier: Apache-2.0

/// A JSON value as a flat list of its parts in the order of the text, converted only on demand.
///
/// It is reused for each value, so that reading many allocates nothing; a class, so that it is never copied.
final class JSONTape {
    enum Kind: UInt8, Sendable {
        case object, array, string, escapedString, number, yes, no, null
    }

    /// A part: its range in the text, and the index of the part behind it and its contents.
    ///
    /// A string's range excludes the quotation marks; an object's parts are keys and values in turn.
    struct Part: Sendable {
        var kind: Kind
        var start: Int
        var end: Int
        var next: Int
    }

    var parts: [Part] = []
}
