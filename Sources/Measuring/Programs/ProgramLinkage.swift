// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc

/// Checks by a program's file whether a library can be preloaded into it.
enum ProgramLinkage {
    /// The number of bytes examined: the header and the table of segments come first.
    private static let headSize = 4096
    private static let interpreterSegment = 3
    /// The kernel's limit of nested script interpreters.
    private static let longestChain = 4

    /// The reason that nothing can be preloaded into a program; `nil` if it can be or is unknown.
    static func obstacle(at path: String) -> String? { obstacle(at: path, scripts: longestChain) }

    private static func obstacle(at path: String, scripts: Int) -> String? {
        var information = stat()
        if stat(path, &information) == 0, information.st_mode & (S_ISUID | S_ISGID) != 0 {
            return "it is set-user-ID, so the recorder cannot be preloaded"
        }
        guard let file = FileHandle(forReadingAtPath: path), let data = try? file.read(upToCount: headSize) else {
            return nil
        }
        let head = [UInt8](data)
        if scripts > 0, let interpreter = interpreter(ofScript: head) {
            return obstacle(at: interpreter, scripts: scripts - 1)
        }
        return obstacle(inHead: head)
    }

    /// Returns the interpreter in the first line of a script; `nil` for other files.
    static func interpreter(ofScript head: [UInt8]) -> String? {
        guard head.starts(with: "#!".utf8) else { return nil }
        let line = head.dropFirst(2).prefix { $0 != UInt8(ascii: "\n") && $0 != 0 }
        let words = line.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        return words.first.map { String(decoding: $0, as: UTF8.self) }
    }

    static func obstacle(inHead head: [UInt8]) -> String? {
        guard head.starts(with: [0x7f, 0x45, 0x4c, 0x46]), head.count >= 64 else { return nil }
        guard head[4] == 2 else { return "it is a 32-bit program, and the recorder is 64-bit" }
        let table = Int(clamping: number(head, at: 32, size: 8))
        let size = Int(number(head, at: 54, size: 2))
        let count = Int(number(head, at: 56, size: 2))
        guard size >= 56, table > 0, table <= headSize else { return nil }
        let segments = (0..<count).map { table + $0 * size }.filter { $0 + 56 <= head.count }
        guard let segment = segments.first(where: { number(head, at: $0, size: 4) == interpreterSegment }) else {
            return "it is statically linked, so the recorder cannot be preloaded"
        }
        let start = Int(clamping: number(head, at: segment + 8, size: 8))
        guard start < head.count else { return nil }
        return obstacle(ofLoader: String(decoding: head[start...].prefix { $0 != 0 }, as: UTF8.self))
    }

    /// Requires the loader of glibc: those of other C libraries are named `ld-musl-x86_64.so.1` or `linker64`.
    private static func obstacle(ofLoader path: String) -> String? {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        guard !name.hasPrefix("ld-musl"), name.hasPrefix("ld") else {
            return "its C library is not glibc (its loader is \(path)): the recorder cannot be loaded into it; "
                + "build the program for glibc to explain it"
        }
        return nil
    }

    private static func number(_ bytes: [UInt8], at place: Int, size: Int) -> UInt64 {
        (0..<size).reversed().reduce(0) { $0 << 8 | UInt64(bytes[place + $1]) }
    }
}
