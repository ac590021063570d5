// SPDX-License-Identifier: Apache-2.0

package import MemProbe
import Texts

/// How much a trial may hold before it is killed: an endless body would take the whole machine with it.
package enum MemoryLimit {
    /// Half of what this process may use: of the machine's memory, or of a control group's limit where that is less.
    ///
    /// `nil` where the system says neither.
    package static var standard: ByteCount? {
        let group = ControlGroupMemory { TextFile.contents(of: $0) }.limit
        return half(of: [EnvironmentProbe.memory(), group].compactMap(\.self))
    }

    /// Half of the smallest, in whole pages of 4 KiB, so that it can be written down.
    package static func half(of sizes: [ByteCount]) -> ByteCount? {
        sizes.min().map { ByteCount($0.rawValue / 2 / 4096 * 4096) }
    }

    /// What is said of a trial that was killed.
    package static func complaint(_ reached: ByteCount, over limit: ByteCount?) -> String {
        let allowed = limit.map { " of \(ByteText.mebibytes($0))" } ?? ""
        return "killed when it held \(ByteText.mebibytes(reached)), more than the memory limit\(allowed): "
            + "its body may have no end; if it needs that much, raise --memory-limit"
    }
}

/// The memory that a control group allows this process, in either version of the kernel's groups.
package struct ControlGroupMemory {
    private static let root = "/sys/fs/cgroup"

    /// The contents of a file, `nil` where it cannot be read.
    private let contents: (_ path: String) -> String?

    package init(contents: @escaping (_ path: String) -> String?) {
        self.contents = contents
    }

    /// The lowest limit of this process's group and of the groups above it, or `nil` where none can be read.
    package var limit: ByteCount? {
        let groups = contents("/proc/self/cgroup") ?? ""
        return groups.split(separator: "\n").flatMap { limits(of: $0) }.min()
    }

    /// The limits on the way up from one line, `NUMBER:CONTROLLERS:PATH`; the second version names no controllers.
    private func limits(of line: Substring) -> [ByteCount] {
        let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
        guard fields.count == 3 else { return [] }
        let isSecond = fields[1].isEmpty
        guard isSecond || fields[1].split(separator: ",").contains("memory") else { return [] }
        let mount = isSecond ? Self.root : Self.root + "/memory"
        let file = isSecond ? "memory.max" : "memory.limit_in_bytes"
        let names = fields[2].split(separator: "/")
        // A container sees its own group at the root, whatever it is called outside.
        return (0...names.count).compactMap { depth in
            let folder = ([mount] + names.prefix(depth).map(String.init)).joined(separator: "/")
            // Without a limit the file says `max`, or in the first version a number beyond all memory.
            return contents("\(folder)/\(file)").flatMap { Int($0.filter { !$0.isWhitespace }) }.map { ByteCount($0) }
        }
    }
}
