// SPDX-License-Identifier: Apache-2.0

import Glibc
package import MemProbe

/// What the harness has to know of a file system.
package enum FileSystem {
    /// The type of the file system that holds a path as the kernel names it: `ext4`, `tmpfs`, `overlay`; `unknown`
    /// where it cannot be told.
    ///
    /// The source is `/proc/self/mountinfo`: the mount whose point is the longest beginning of the real path.
    package static func type(of path: String) -> String {
        guard let real = realpath(path, nil) else { return "unknown" }
        defer { free(real) }
        guard let mounts = TextFile.contents(of: "/proc/self/mountinfo") else { return "unknown" }
        return type(of: String(cString: real), inMountInfo: mounts) ?? "unknown"
    }

    /// The type of the last mount of the longest mount point above a real path, or `nil` where no line holds it.
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

    /// Whether files there are memory, so that "to a file" would be a lie.
    package static func isMemory(_ type: String) -> Bool {
        type == "tmpfs" || type == "ramfs"
    }

    /// The room left for this user on the file system that holds a path, or `nil` where it cannot be told.
    package static func available(at path: String) -> ByteCount? {
        var information = statvfs()
        guard statvfs(path, &information) == 0 else { return nil }
        return ByteCount(Int(information.f_bavail) * Int(information.f_frsize))
    }
}

/// Small text files of the kernel.
enum TextFile {
    /// The whole text, or `nil` where it cannot be read.
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
