// SPDX-License-Identifier: Apache-2.0

/// A value parsed from the kernel's text without copying it.
package protocol ParsedText {
    init(parsing text: Span<UInt8>) throws(MemProbeError)
}

extension ParsedText {
    package init(parsing text: String) throws(MemProbeError) {
        let bytes = Array(text.utf8)
        try self.init(parsing: bytes.span)
    }
}
