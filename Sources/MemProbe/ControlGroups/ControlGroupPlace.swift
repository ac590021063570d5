// SPDX-License-Identifier: Apache-2.0

import Libc

/// The control group of this process that counts memory: the place for groups of its own.
///
/// The kernel counts memory either in a hierarchy of version 1 or in that of version 2, never in both. A machine may mount
/// both; then the one with the memory controller counts.
package struct ControlGroupPlace: Hashable, Sendable {
    package enum Version: Int, Codable, Hashable, Sendable {
        case first = 1
        case second = 2
    }

    package let version: Version
    package let folder: String

    package init(version: Version, folder: String) {
        (self.version, self.folder) = (version, folder)
    }

    package static var here: Result<ControlGroupPlace, ControlGroupObstacle> {
        Result { () throws(ControlGroupObstacle) in
            try ControlGroupPlace { path in try? Descriptor.text(ofFileAt: path) }
        }
    }

    /// Finds the place by the files of `/proc` and of the hierarchy.
    /// - Parameters:
    ///   - controller: Another one than that of memory, which version 1 has in a hierarchy of its own.
    ///   - contents: Returns the text of a file, or `nil` if it cannot be read.
    package init(
        of controller: Controller = .memory, contents: (_ path: String) -> String?
    ) throws(ControlGroupObstacle) {
        let groups = (contents("/proc/self/cgroup") ?? "").split(separator: "\n").compactMap { GroupLine($0) }
        let mounts = (contents("/proc/self/mountinfo") ?? "").split(separator: "\n").compactMap { GroupMount($0) }
        let first = groups.first { $0.version == .first && $0.controllers.contains(controller.rawValue[...]) }
        guard let line = first ?? groups.first(where: { $0.version == .second }) else { throw .noController }
        let fitting = mounts.filter {
            $0.version == line.version && ($0.version == .second || $0.options.contains(controller.rawValue[...]))
        }
        guard !fitting.isEmpty else { throw .notMounted }
        // The same hierarchy may be mounted several times, with different roots.
        let folders = fitting.compactMap { $0.folder(of: line.path) }.map { folder in
            // A harness of this user moved itself there to make room for groups beside it, and may leave at any moment.
            folder.hasSuffix("/" + Self.ownLeaf) ? String(folder.dropLast(Self.ownLeaf.count + 1)) : folder
        }
        let witness = line.version == .first ? controller.witness : "cgroup.controllers"
        guard let folder = folders.first(where: { contents($0 + "/" + witness) != nil }) else { throw .hidden }
        version = line.version
        self.folder = folder
    }

    /// The group into which a process moves to make groups beside itself; only in version 2.
    static let ownLeaf = "memprobe-own"

    /// The lowest limit of the group and of those above it, as far as they are visible; `nil` for none.
    package var limit: ByteCount? { limit { try? Descriptor.text(ofFileAt: $0) } }

    package func limit(contents: (_ path: String) -> String?) -> ByteCount? {
        let file = version == .first ? "memory.limit_in_bytes" : "memory.max"
        // Without a limit the file holds `max`, or in version 1 a number larger than any memory.
        return folders.compactMap { contents("\($0)/\(file)").flatMap { Int($0.filter { !$0.isWhitespace }) } }.min()
            .map { ByteCount($0) }
    }

    /// The number of processors whose whole time a group and those above it may use; `nil` for all.
    ///
    /// - Parameter contents: Returns the text of a file, or `nil` if it cannot be read.
    package static func processorQuota(contents: (_ path: String) -> String?) -> Double? {
        guard let place = try? ControlGroupPlace(of: .processors, contents: contents) else { return nil }
        let files = place.version == .first ? ["cpu.cfs_quota_us", "cpu.cfs_period_us"] : ["cpu.max"]
        return place.folders.compactMap { folder in
            let words = files.map { contents("\(folder)/\($0)") ?? "" }.joined(separator: " ")
            // Without a limit the quota is `max`, or in version 1 negative.
            let numbers = words.split(whereSeparator: \.isWhitespace).map { Double($0) ?? -1 }
            return numbers.count == 2 && numbers[0] > 0 && numbers[1] > 0 ? numbers[0] / numbers[1] : nil
        }.min()
    }

    private var folders: [Substring] {
        Array(
            sequence(first: folder[...]) { $0.lastIndex(of: "/").map { [folder] in folder[..<$0] } }.prefix {
                $0.count > 1
            })
    }

    package enum Controller: String {
        case memory
        case processors = "cpu"

        /// A file that groups of version 1 have.
        fileprivate var witness: String { self == .memory ? "memory.usage_in_bytes" : "cpu.cfs_quota_us" }
    }

    /// A line of `/proc/self/cgroup`: `NUMBER:CONTROLLERS:PATH`; version 2 has the number 0 and no controllers.
    private struct GroupLine {
        let version: ControlGroupPlace.Version
        let controllers: [Substring]
        let path: String

        init?(_ line: Substring) {
            let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard fields.count == 3, fields[2].hasPrefix("/") else { return nil }
            version = fields[0] == "0" && fields[1].isEmpty ? .second : .first
            controllers = fields[1].split(separator: ",")
            path = String(fields[2])
        }
    }

    private struct GroupMount {
        let version: ControlGroupPlace.Version
        /// In version 1 the controllers, among others.
        let options: [Substring]
        /// The group at the mount point.
        let root: String
        let point: String

        init?(_ line: Substring) {
            let words = line.split(separator: " ")
            guard let dash = words.firstIndex(of: "-"), dash >= 6, words.count > dash + 3 else { return nil }
            switch words[dash + 1] {
            case "cgroup": version = .first
            case "cgroup2": version = .second
            default: return nil
            }
            options = words[dash + 3].split(separator: ",")
            (root, point) = (Self.plain(words[3]), Self.plain(words[4]))
        }

        /// Returns the folder of a group, or `nil` if it is not below this mount.
        func folder(of path: String) -> String? {
            if root == "/" { return path == "/" ? point : point + path }
            if path == root { return point }
            // In a namespace of its own, the group of a container is its root.
            if path == "/" { return point }
            return path.hasPrefix(root + "/") ? point + path.dropFirst(root.count) : nil
        }

        /// Returns a path without the octal escapes of spaces, tabs, newlines and backslashes.
        private static func plain(_ text: Substring) -> String {
            var bytes: [UInt8] = []
            var rest = Array(text.utf8)[...]
            while let byte = rest.popFirst() {
                let digits = rest.prefix(3)
                if byte == UInt8(ascii: "\\"), digits.count == 3,
                    let code = UInt8(String(decoding: digits, as: UTF8.self), radix: 8)
                {
                    bytes.append(code)
                    rest = rest.dropFirst(3)
                } else {
                    bytes.append(byte)
                }
            }
            return SystemText.string(of: bytes)
        }
    }
}

package enum ControlGroupObstacle: Error, Hashable, Sendable {
    /// The kernel has no memory controller, or it is switched off.
    case noController
    /// No hierarchy with the memory controller is mounted.
    case notMounted
    /// The hierarchy is mounted, and this process's group is not in it.
    case hidden
    /// The hierarchy is mounted read-only.
    case readOnly
    /// The group belongs to another user.
    case otherOwner
    /// The group above does not pass the memory controller on.
    case notDelegated
    /// Version 2 allows no groups below one with processes, and these are not this session's.
    case occupied(processes: Int)
    /// The kernel's reason for anything else, as an errno.
    case refused(Int32)

    init(errno: Int32) {
        switch errno {
        case EROFS: self = .readOnly
        case EACCES, EPERM: self = .otherOwner
        case ENOENT: self = .hidden
        default: self = .refused(errno)
        }
    }
}

extension ControlGroupObstacle: CustomStringConvertible {
    package var description: String {
        switch self {
        case .noController: "the kernel has no memory controller"
        case .notMounted: "no control groups are mounted"
        case .hidden: "the control group of this process is not visible"
        case .readOnly: "the control groups are mounted read-only"
        case .otherOwner: "the control group belongs to another user"
        case .notDelegated: "the memory controller is not delegated to this control group"
        case .occupied(let count): "\(count) processes of others are in the control group"
        case .refused(let errno): String(cString: strerror(errno))
        }
    }
}
