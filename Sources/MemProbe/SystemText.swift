// SPDX-License-Identifier: Apache-2.0

import CMemProbe
import Libc

/// Text of the operating system as a string from which its bytes can be had back: arguments, variables, paths.
///
/// The kernel takes and gives bytes, which need not be UTF-8, and a string holds only UTF-8: Swift's own conversion
/// replaces every other byte by U+FFFD, three bytes for one. Here a byte that is no part of UTF-8 stands as a scalar for
/// private use, U+10F700 plus the byte (U+10F780 to U+10F7FF). Text that holds one of those scalars itself is taken for
/// such bytes as well, so that no two texts have one string.
///
/// ``TracedCommand`` passes such strings on as the bytes that they stand for; to any other function they are text.
public enum SystemText {
    private static let firstEscape: UInt32 = 0x10F700
    private static let escapes: ClosedRange<UInt32> = 0x10F780...0x10F7FF

    /// Returns the byte that a scalar stands for; `nil` for text.
    public static func byte(of scalar: Unicode.Scalar) -> UInt8? {
        escapes.contains(scalar.value) ? UInt8(scalar.value - firstEscape) : nil
    }

    /// Returns a string for any bytes but NUL, which ends no text of the system early here.
    public static func string(of bytes: some Collection<UInt8>) -> String {
        var parser = Unicode.UTF8.ForwardParser()
        var (input, place) = (bytes.makeIterator(), bytes.startIndex)
        var text = String.UnicodeScalarView()
        while true {
            let (scalar, count) = next(&parser, &input)
            guard count > 0 else { return String(text) }
            let end = bytes.index(place, offsetBy: count)
            if let scalar, byte(of: scalar) == nil {
                text.append(scalar)
            } else {
                text.append(contentsOf: bytes[place..<end].map { escape($0) })
            }
            place = end
        }
    }

    /// Returns the next scalar, or `nil` for bytes that are none, and the number of its bytes; 0 at the end.
    private static func next(
        _ parser: inout Unicode.UTF8.ForwardParser, _ input: inout some IteratorProtocol<UInt8>
    ) -> (scalar: Unicode.Scalar?, count: Int) {
        switch parser.parseScalar(from: &input) {
        case .valid(let encoded): (Unicode.UTF8.decode(encoded), encoded.count)
        case .error(let length): (nil, length)
        case .emptyInput: (nil, 0)
        }
    }

    /// Bytes below 0x80 are always text, so each of these has an escape.
    private static func escape(_ byte: UInt8) -> Unicode.Scalar {
        guard let scalar = Unicode.Scalar(firstEscape + UInt32(byte)) else {
            preconditionFailure("U+10F780 to U+10F7FF are scalars")
        }
        return scalar
    }

    /// Returns the bytes that a string stands for.
    public static func bytes(of text: String) -> [UInt8] {
        guard !isUTF8(text) else { return Array(text.utf8) }
        return text.unicodeScalars.reduce(into: []) { bytes, scalar in
            if let byte = byte(of: scalar) {
                bytes.append(byte)
            } else {
                bytes += UTF8.encode(scalar).map(Array.init) ?? []
            }
        }
    }

    /// True if the string stands for its own UTF-8.
    public static func isUTF8(_ text: String) -> Bool {
        // Every escape begins with this byte, which text hardly ever has.
        !text.utf8.contains(0xF4) || text.unicodeScalars.allSatisfy { byte(of: $0) == nil }
    }

    /// Calls `body` with the bytes that a string stands for as a C string.
    package static func withCString<Result>(_ text: String, _ body: (UnsafePointer<CChar>) -> Result) -> Result {
        guard !isUTF8(text) else { return text.withCString(body) }
        return (bytes(of: text) + [0]).withUnsafeBytes { bytes in
            guard let start = bytes.assumingMemoryBound(to: CChar.self).baseAddress else {
                preconditionFailure("it has a NUL at least")
            }
            return body(start)
        }
    }

    /// Returns the string of a C string of the system.
    package static func string(of pointer: UnsafePointer<CChar>) -> String {
        let bytes = UnsafeRawBufferPointer(start: pointer, count: strlen(pointer))
        return String(validating: bytes, as: UTF8.self).flatMap { isUTF8($0) ? $0 : nil } ?? string(of: bytes)
    }
}

extension SystemText {
    /// The arguments of this process, without its name.
    package static var arguments: [String] {
        (1..<max(1, Int(CommandLine.argc))).compactMap { index in
            CommandLine.unsafeArgv[index].map { string(of: UnsafePointer($0)) }
        }
    }

    /// The environment of this process; of a name that is given twice, the first value, as `getenv` has it.
    package static var environment: [String: String] {
        var variables: [String: String] = [:]
        var index = 0
        while let pointer = cmemprobe_variable(index) {
            // Scalars, as an equals sign before a combining mark is one character with it.
            let parts = string(of: pointer).unicodeScalars.split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2, !parts[0].isEmpty, variables[String(parts[0])] == nil {
                variables[String(parts[0])] = String(parts[1])
            }
            index += 1
        }
        return variables
    }

    /// The working folder of this process; `nil` if it has been removed.
    package static var workingDirectory: String? {
        guard let path = getcwd(nil, 0) else { return nil }
        defer { free(path) }
        return string(of: UnsafePointer(path))
    }

    /// Returns the target of a symbolic link; `nil` if it cannot be read.
    package static func target(ofLink path: String) -> String? {
        var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = buffer.withUnsafeMutableBytes { buffer in
            guard let start = buffer.assumingMemoryBound(to: CChar.self).baseAddress else { return 0 }
            return withCString(path) { readlink($0, start, buffer.count) }
        }
        return count > 0 ? string(of: buffer.prefix(count)) : nil
    }
}
