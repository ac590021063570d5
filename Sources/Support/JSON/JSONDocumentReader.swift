// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// Reads a JSON object from a file piece by piece, and one array in it item by item: of a long list only the item is in
/// memory that is looked at.
package final class JSONDocumentReader {
    package enum Fault: Error, Hashable, Sendable {
        case file(FileFailure)
        /// It is no JSON object from a byte on.
        case malformed(offset: Int, reason: String)
    }

    private let window: FileWindow
    private let list: String
    private let tape = JSONTape()
    private var rest = Data()

    /// Begins to read.
    /// - Parameters:
    ///   - list: the key of the array.
    ///   - window: the file, of which nothing was read.
    package init(_ window: FileWindow, list: String) {
        self.window = window
        self.list = list
    }

    /// Reads everything.
    /// - Parameter onItem: gets each item of the array, which lives until it returns.
    /// - Returns: the object with an empty array in the place of that one. What is under the key and no array stays.
    package func read(
        onItem: (JSONItem) -> Void
    ) throws(Fault) -> Data {
        try skipMark()
        try expect(UInt8(ascii: "{"), "an object")
        keep("{")
        if try next() == UInt8(ascii: "}") { window.advance(by: 1) } else { try readMembers(onItem) }
        keep("}")
        guard try peek() == nil else { throw malformed("nothing more was expected") }
        return rest
    }

    private func readMembers(_ onItem: (JSONItem) -> Void) throws(Fault) {
        var hasList = false
        while true {
            guard try next() == UInt8(ascii: "\"") else { throw malformed("a key was expected") }
            let isList = try value { bytes in
                keep(bytes)
                return JSONStringText.text(of: tape.text(of: bytes), isEscaped: tape.isEscaped) == list
            }
            try expect(UInt8(ascii: ":"), "a colon")
            keep(":")
            let first = try next()
            if isList, first == UInt8(ascii: "[") {
                guard !hasList else { throw malformed("\(list) is there twice") }
                hasList = true
                window.advance(by: 1)
                try readItems(onItem)
                keep("[]")
            } else {
                try value { keep($0) }
            }
            if try ends(with: UInt8(ascii: "}")) { return }
            keep(",")
        }
    }

    private func readItems(_ onItem: (JSONItem) -> Void) throws(Fault) {
        if try next() == UInt8(ascii: "]") { return window.advance(by: 1) }
        var index = 0
        while true {
            _ = try next()
            try value { onItem(JSONItem(bytes: $0, tape: tape, index: index)) }
            index += 1
            if try ends(with: UInt8(ascii: "]")) { return }
        }
    }
}

// MARK: - Pieces

extension JSONDocumentReader {
    /// The value that is next; its bytes live until the closure returns.
    @discardableResult
    private func value<Result>(
        _ use: (UnsafeBufferPointer<UInt8>) -> Result
    ) throws(Fault) -> Result {
        while true {
            let bytes = window.bytes
            var scanner = JSONScanner(bytes, onto: tape)
            do throws(JSONFault) {
                try scanner.scan()
                // A number may go on behind what is in memory.
                if scanner.offset == bytes.count, !window.isWhole { throw JSONFault.cutOff }
                let result = use(UnsafeBufferPointer(rebasing: bytes[..<scanner.offset]))
                window.advance(by: scanner.offset)
                return result
            } catch {
                switch error {
                case .cutOff:
                    guard !window.isWhole else { throw endedEarly }
                    _ = try more()
                case .malformed(let offset, let reason):
                    throw .malformed(offset: window.offset + offset, reason: reason)
                }
            }
        }
    }

    /// The byte that is next behind spaces, which are passed over; `nil` at the end of the file.
    private func peek() throws(Fault) -> UInt8? {
        while true {
            let bytes = window.bytes
            let space = bytes.firstIndex { !JSONScanner.isSpace($0) } ?? bytes.count
            window.advance(by: space)
            if space < bytes.count { return bytes[space] }
            guard try more() else { return nil }
        }
    }

    private func next() throws(Fault) -> UInt8 {
        guard let byte = try peek() else { throw endedEarly }
        return byte
    }

    private func expect(_ byte: UInt8, _ what: String) throws(Fault) {
        guard try next() == byte else { throw malformed("\(what) was expected") }
        window.advance(by: 1)
    }

    /// Passes over what is between two items, or behind the last.
    private func ends(with end: UInt8) throws(Fault) -> Bool {
        let byte = try next()
        guard byte == end || byte == UInt8(ascii: ",") else { throw malformed("a comma was expected") }
        window.advance(by: 1)
        return byte == end
    }

    /// Some editors begin a file with a mark that it is UTF-8.
    private func skipMark() throws(Fault) {
        while window.bytes.count < 3, try more() {}
        if window.bytes.starts(with: [0xEF, 0xBB, 0xBF]) { window.advance(by: 3) }
    }

    private func more() throws(Fault) -> Bool {
        do {
            return try window.more()
        } catch {
            throw .file(error)
        }
    }

    private func keep(_ bytes: some Sequence<UInt8>) { rest.append(contentsOf: bytes) }
    private func keep(_ text: StaticString) {
        rest.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    private var endedEarly: Fault { malformed("it ends early") }

    private func malformed(_ reason: String) -> Fault {
        .malformed(offset: window.offset, reason: reason)
    }
}
