// SPDX-License-Identifier: Apache-2.0

/// One JSON value as a flat list of its parts, in the order of the text: nothing is copied and nothing converted before
/// somebody asks for it.
///
/// It is used again from value to value, so that reading many of them allocates nothing of its own; a class, so that no
/// second holder makes it be copied.
final class JSONTape {
    enum Kind: UInt8, Sendable {
        case object, array, string, escapedString, number, yes, no, null
    }

    /// A part: where its text is, and where the part after it and all that is in it stands on the tape.
    ///
    /// The text of a string is without its quotation marks; an object's parts are keys and values in turn.
    struct Part: Sendable {
        var kind: Kind
        var start: Int
        var end: Int
        var next: Int
    }

    /// The parts, the value itself first.
    var parts: [Part] = []
}
