// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc

/// Whether a library can be loaded into a program in front of its own, as its file tells.
enum ProgramLinkage {
    /// How much of a file tells it: the head and the table of segments stand in front.
    private static let headSize = 4096
    private static let interpreterSegment = 3

    /// Why nothing can be preloaded into a program, or `nil` where it can be, or its file does not tell.
    static func obstacle(at path: String) -> String? {
        var information = stat()
        if stat(path, &information) == 0, information.st_mode & (S_ISUID | S_ISGID) != 0 {
            return "it runs as another user (set-user-ID): the loader preloads nothing into it"
        }
        guard let file = FileHandle(forReadingAtPath: path), let head = try? file.read(upToCount: headSize) else {
            return nil
        }
        return obstacle(inHead: [UInt8](head))
    }

    /// The same of the first bytes of a file.
    static func obstacle(inHead head: [UInt8]) -> String? {
        guard head.starts(with: [0x7f, 0x45, 0x4c, 0x46]), head.count >= 64 else { return nil }
        guard head[4] == 2 else { return "it is a program of 32 bits, the recorder one of 64" }
        let table = Int(number(head, at: 32, size: 8))
        let size = Int(number(head, at: 54, size: 2))
        let count = Int(number(head, at: 56, size: 2))
        guard size >= 4, table > 0, table <= headSize else { return nil }
        let kinds = (0..<count).map { table + $0 * size }.filter { $0 + 4 <= head.count }
        let hasInterpreter = kinds.contains { number(head, at: $0, size: 4) == interpreterSegment }
        return hasInterpreter ? nil : "it is linked statically: nothing can be loaded in front of its allocator"
    }

    private static func number(_ bytes: [UInt8], at place: Int, size: Int) -> UInt64 {
        (0..<size).reversed().reduce(0) { $0 << 8 | UInt64(bytes[place + $1]) }
    }
}
