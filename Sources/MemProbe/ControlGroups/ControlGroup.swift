// SPDX-License-Identifier: Apache-2.0

import Libc

/// A control group that counts and limits the memory of the processes in it, and their children.
///
/// Only its folder is kept here: ``ControlGroupSession`` makes and removes it.
package struct ControlGroup: Codable, Hashable, Sendable {
    package let version: ControlGroupPlace.Version
    package let folder: String

    package init(version: ControlGroupPlace.Version, folder: String) {
        (self.version, self.folder) = (version, folder)
    }

    /// True if a process of one thread enters by itself within 0.1 ms: for all other moves the kernel waits, up to 12 ms,
    /// until no process is about to fork or to end (`cgroup_threadgroup_rwsem`).
    var isEnteredAtOnce: Bool { version == .first }

    /// The file to which a process writes 0 to enter.
    var entrance: String { folder + (isEnteredAtOnce ? "/tasks" : "/cgroup.procs") }

    /// Limits the charge; the kernel kills a process that needs more.
    package func setLimit(_ limit: ByteCount) throws(ControlGroupObstacle) {
        let name = version == .first ? "memory.limit_in_bytes" : "memory.max"
        try write("\(limit.rawValue)", to: name)
    }

    /// The number of processes that the kernel killed in this group and those below it; `nil` if it does not count them.
    package var killCount: Int? {
        guard version == .first else { return number(after: "oom_kill ", in: "memory.events") }
        // Version 1 counts a process in its own group only.
        let below = Self.names(in: folder).compactMap { Self(version: version, folder: "\(folder)/\($0)").killCount }
        return number(after: "oom_kill ", in: "memory.oom_control").map { below.reduce($0, +) }
    }

    /// The number of times that the charge reached the limit; `nil` if the kernel does not count them.
    package var limitHits: Int? {
        version == .first ? number(after: "", in: "memory.failcnt") : number(after: "max ", in: "memory.events")
    }

    /// The groups above it, the nearest first, as far as they are visible and may have a limit.
    private var above: [ControlGroup] {
        var groups: [ControlGroup] = []
        var folder = Substring(folder)
        while let slash = folder.lastIndex(of: "/"), slash > folder.startIndex {
            folder = folder[..<slash]
            let group = ControlGroup(version: version, folder: String(folder))
            guard group.ownLimitHits != nil else { break }
            groups.append(group)
        }
        return groups
    }

    /// The limits above it with the times that each was reached so far, to be compared with a later reading.
    var limitsAbove: [LimitAbove] {
        above.map { group in
            let limit = group.number(after: "", in: version == .first ? "memory.limit_in_bytes" : "memory.max")
            return LimitAbove(folder: group.folder, limit: limit.map { ByteCount($0) }, hits: group.ownLimitHits ?? 0)
        }
    }

    /// The same as ``limitHits`` without those of groups below it.
    private var ownLimitHits: Int? {
        version == .first ? limitHits : number(after: "max ", in: "memory.events.local")
    }

    /// The end of its path, by which `/proc/PID/cgroup` names the group of a process in any hierarchy and namespace.
    var place: String { folder.split(separator: "/").suffix(2).joined(separator: "/") }

    /// The pages in swap space, which the charge leaves out; `nil` if that is not counted.
    package var swapped: ByteCount? {
        guard version == .first else { return number(after: "", in: "memory.swap.current").map { ByteCount($0) } }
        return number(after: "total_swap ", in: "memory.stat").map { ByteCount($0) }
    }

    private func number(after name: String, in file: String) -> Int? {
        guard let text = try? Descriptor.text(ofFileAt: folder + "/" + file) else { return nil }
        let line = text.split(separator: "\n").first { $0.hasPrefix(name) }
        return line.flatMap { Int($0.dropFirst(name.count)) }
    }

    /// The processes in the group itself; empty if it is gone.
    var processes: [Int32] {
        let text = try? Descriptor.text(ofFileAt: folder + "/cgroup.procs")
        return (text ?? "").split(separator: "\n").compactMap { Int32($0) }
    }

    func write(_ text: String, to name: String) throws(ControlGroupObstacle) {
        let file = SystemText.withCString(folder + "/" + name) { open($0, O_WRONLY | O_CLOEXEC) }
        guard file >= 0 else { throw ControlGroupObstacle(errno: errno) }
        defer { close(file) }
        guard SystemCall.writeAll(text.utf8, to: file) else { throw ControlGroupObstacle(errno: errno) }
    }

    /// Opens and locks the folder (`flock(2)`), or returns `nil` if it is gone or another process has it locked.
    func locked() -> Int32? {
        let file = SystemText.withCString(folder) { open($0, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        guard file >= 0, flock(file, LOCK_EX | LOCK_NB) != 0 else { return file >= 0 ? file : nil }
        close(file)
        return nil
    }

    /// Removes the group and those below it; returns false if a process is still in one of them.
    @discardableResult
    package func remove() -> Bool {
        if SystemText.withCString(folder, { rmdir($0) }) == 0 || errno == ENOENT { return true }
        for name in Self.names(in: folder) { ControlGroup(version: version, folder: folder + "/" + name).remove() }
        return SystemText.withCString(folder) { rmdir($0) } == 0
    }

    static func names(in folder: String) -> [String] {
        guard var stream = FolderStream(folder) else { return [] }
        var names: [String] = []
        while let name = stream.next() {
            var information = stat()
            guard name != ".", name != "..", !name.hasPrefix("memory."), !name.hasPrefix("cgroup."),
                SystemText.withCString(folder + "/" + name, { lstat($0, &information) }) == 0,
                information.st_mode & S_IFMT == S_IFDIR
            else { continue }
            names.append(name)
        }
        return names
    }
}

extension ControlGroup {
    package struct LimitAbove: Codable, Hashable, Sendable {
        package var folder: String
        package var limit: ByteCount?
        /// The number of times that the charge of the group reached the limit, with all others in it.
        package var hits: Int

        private enum CodingKeys: String, CodingKey {
            case folder, hits
            case limit = "limit_bytes"
        }
    }
}

/// The most memory that a control group was charged.
///
/// The kernel's mark is exact. Version 1 marks TCP buffers apart: their sum with the rest is only sampled, so it is a lower
/// bound with an error. Version 2 has a mark since Linux 5.19; before, the peak is the highest sample.
public struct ChargePeak: Codable, Hashable, Sendable {
    /// The highest charge, with sockets.
    public var total: ByteCount
    /// The most by which it may be too low; 0 in version 2, `nil` if the kernel keeps no mark.
    public var errorBound: ByteCount?

    /// Creates a peak.
    public init(total: ByteCount, errorBound: ByteCount?) {
        (self.total, self.errorBound) = (total, errorBound)
    }

    private enum CodingKeys: String, CodingKey {
        case total = "total_bytes"
        case errorBound = "error_bound_bytes"
    }
}
