// SPDX-License-Identifier: Apache-2.0

import Glibc
package import MemProbe

/// The properties of file systems.
package enum FileSystem {
    /// The kernel's type name of the file system of a path: `ext4`, `tmpfs`, `overlay`; `unknown` if not found.
    ///
    /// The source is `/proc/self/mountinfo`: the longest mount point that is a prefix of the real path.
    package static func type(of path: String) -> String {
        guard let real = realpath(path, nil) else { return "unknown" }
        defer { free(real) }
        guard let mounts = TextFile.contents(of: "/proc/self/mountinfo") else { return "unknown" }
        return type(of: String(cString: real), inMountInfo: mounts) ?? "unknown"
    }

    /// The type of the last mount at the longest mount point above a real path, or `nil` without a match.
    package static func type(of path: String, inMountInfo text: String) -> String? {
        var best: (length: Int, type: String)?
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count > 6, let dash = words.firstIndex(of: "-"), dash + 1 < words.count else { continue }
            let point = String(words[4])
            guard point == "/" || path == point || path.hasPrefix(point + "/"), point.count >= best?.length ?? 0 else {
                continue
            }
            best = (point.count, String(words[dash + 1]))
        }
        return best?.type
    }

    /// True for file systems in memory, to which fetching "to a file" saves no memory.
    package static func isMemory(_ type: String) -> Bool {
        type == "tmpfs" || type == "ramfs"
    }

    /// The space available to this user on the file system of a path, or `nil` if unknown.
    package static func available(at path: String) -> ByteCount? {
        var information = statvfs()
        guard statvfs(path, &information) == 0 else { return nil }
        return ByteCount(Int(information.f_bavail) * Int(information.f_frsize))
    }
}

/// The reading of small text files of the kernel.
enum TextFile {
    static func contents(of path: String) -> String? {
        guard let file = fopen(path, "re") else { return nil }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = fread(&buffer, 1, buffer.count, file)
            guard count > 0 else { break }
            bytes += buffer[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
