// SPDX-License-Identifier: Apache-2.0

package import MemProbe
import Texts

/// The memory at which a trial is killed: an endless body would otherwise exhaust the machine.
package enum TrialMemoryLimit {
    /// Half of the machine's memory or of the control group's limit, whichever is less; `nil` if both are unknown.
    package static var standard: ByteCount? {
        let group = ControlGroupMemory { TextFile.contents(of: $0) }.limit
        return half(of: [EnvironmentProbe.memory(), group].compactMap(\.self))
    }

    /// Returns half of the smallest size, in whole pages of 4 KiB so that it has a short text.
    package static func half(of sizes: [ByteCount]) -> ByteCount? {
        sizes.min().map { ByteCount($0.rawValue / 2 / 4096 * 4096) }
    }

    /// Returns the description of a killed trial.
    package static func complaint(_ reached: ByteCount, over limit: ByteCount?) -> String {
        let allowed = limit.map { " of \(ByteText.mebibytes($0))" } ?? ""
        return "killed when it held \(ByteText.mebibytes(reached)) without program pages, more than the memory "
            + "limit\(allowed); if it needs that much, raise --memory-limit"
    }
}

/// The memory that control groups of version 1 or 2 allow this process.
package struct ControlGroupMemory {
    private static let root = "/sys/fs/cgroup"

    /// Returns the contents of a file, or `nil` if it cannot be read.
    private let contents: (_ path: String) -> String?

    package init(contents: @escaping (_ path: String) -> String?) {
        self.contents = contents
    }

    /// The lowest limit of this process's group and its ancestors, or `nil` if none can be read.
    package var limit: ByteCount? {
        let groups = contents("/proc/self/cgroup") ?? ""
        return groups.split(separator: "\n").flatMap { limits(of: $0) }.min()
    }

    /// Returns the limits of one line's group and its ancestors.
    ///
    /// Lines have the form `NUMBER:CONTROLLERS:PATH`; version 2 has no controllers.
    private func limits(of line: Substring) -> [ByteCount] {
        let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
        guard fields.count == 3 else { return [] }
        let isSecond = fields[1].isEmpty
        guard isSecond || fields[1].split(separator: ",").contains("memory") else { return [] }
        let mount = isSecond ? Self.root : Self.root + "/memory"
        let file = isSecond ? "memory.max" : "memory.limit_in_bytes"
        let names = fields[2].split(separator: "/")
        // In a container the own group is at the root, regardless of its path outside.
        return (0...names.count).compactMap { depth in
            let folder = ([mount] + names.prefix(depth).map(String.init)).joined(separator: "/")
            // Without a limit the file holds `max`, or in version 1 a number larger than any memory.
            return contents("\(folder)/\(file)").flatMap { Int($0.filter { !$0.isWhitespace }) }.map { ByteCount($0) }
        }
    }
}
