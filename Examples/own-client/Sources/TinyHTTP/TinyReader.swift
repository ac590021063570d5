// SPDX-License-Identifier: Apache-2.0

/// Reads an answer through one buffer.
struct TinyReader: ~Copyable {
    private static let pieceSize = 64 * 1024
    private static let longestHead = 16 * 1024
    private let socket: TinySocket
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: pieceSize, alignment: 16)
    private var pending = 0..<0

    init(_ socket: TinySocket) {
        self.socket = socket
    }

    deinit {
        buffer.deallocate()
    }

    /// Everything before the body.
    mutating func head() throws -> TinyAnswer {
        var text: [UInt8] = []
        while !text.suffix(4).elementsEqual("\r\n\r\n".utf8) {
            guard text.count < Self.longestHead, try fill() else { throw TinyError.malformed }
            text.append(buffer[pending.lowerBound])
            pending = pending.lowerBound + 1..<pending.upperBound
        }
        let lines = String(decoding: text, as: UTF8.self).split(whereSeparator: \.isNewline)
        let words = (lines.first ?? "").split(separator: " ")
        guard words.count >= 2, words[0].hasPrefix("HTTP/1."), let status = Int(words[1]) else {
            throw TinyError.malformed
        }
        var answer = TinyAnswer(status: status)
        for line in lines.dropFirst() {
            let name = line.prefix { $0 != ":" }.lowercased()
            if name == "transfer-encoding" { throw TinyError.malformed }
            guard name == "content-length" else { continue }
            answer.length = Int(line.dropFirst(name.count + 1).filter { !$0.isWhitespace })
        }
        return answer
    }

    /// The body, in pieces of what the kernel has.
    mutating func body(of answer: TinyAnswer, _ take: (UnsafeRawBufferPointer) throws -> Void) throws {
        var received = 0
        while try answer.length.map({ received < $0 }) ?? true, try fill() {
            try take(UnsafeRawBufferPointer(rebasing: buffer[pending]))
            received += pending.count
            pending = 0..<0
        }
        if let length = answer.length, received != length { throw TinyError.truncated }
    }

    private mutating func fill() throws -> Bool {
        guard pending.isEmpty else { return true }
        pending = 0..<(try socket.receive(into: UnsafeMutableRawBufferPointer(buffer)))
        return !pending.isEmpty
    }
}
