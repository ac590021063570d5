// SPDX-License-Identifier: Apache-2.0

/// What is parsed where the kernel's text lies, without a copy.
package protocol ParsedText {
    init(parsing text: Span<UInt8>) throws(MemProbeError)
}

extension ParsedText {
    package init(parsing text: String) throws(MemProbeError) {
        let bytes = Array(text.utf8)
        try self.init(parsing: bytes.span)
    }
}
