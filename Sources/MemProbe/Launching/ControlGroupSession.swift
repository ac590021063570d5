// SPDX-License-Identifier: Apache-2.0

import Libc
import Synchronization

/// The control groups that this process makes, one for each measured process, below one of its own.
///
/// A keeper removes them when this process is gone, however it ends. What a killed keeper left, the next session removes.
package final class ControlGroupSession: Sendable {
    private let place: ControlGroupPlace
    private let own: ControlGroup
    private let keeper: KeptFolder

    /// Makes the session's group in that of this process.
    ///
    /// In version 2 a group with processes has no groups with a memory controller below it: there, this process and its
    /// relatives move into another group.
    package init(in place: ControlGroupPlace) throws(ControlGroupObstacle) {
        self.place = place
        let own = ControlGroup(version: place.version, folder: "\(place.folder)/\(SessionName().text)")
        self.own = own
        keeper = try OwnLeaf(place).whileLocked { leaf throws(ControlGroupObstacle) in
            Self.removeRemains(in: place)
            try leaf?.makeRoom()
            do throws(MemProbeError) {
                return try KeptFolder(at: own.folder)
            } catch {
                leaf?.leave()
                throw ControlGroupObstacle(errno: error.errno ?? EIO)
            }
        }
        if place.version == .second { try own.write("+memory", to: "cgroup.subtree_control") }
        // Tried once here, so that nothing fails in the middle of a run.
        try group("probe").remove()
    }

    deinit {
        own.remove()
        // A group that stays locked keeps its room for the next session.
        try? OwnLeaf(place).whileLocked { leaf throws(ControlGroupObstacle) in leaf?.leave() }
    }

    /// Makes a group for one process and its children, to be removed by ``ControlGroup/remove()``.
    /// - Parameter name: Its name, unique within the session.
    package func group(_ name: String) throws(ControlGroupObstacle) -> ControlGroup {
        let group = ControlGroup(version: place.version, folder: own.folder + "/" + name)
        guard SystemText.withCString(group.folder, { mkdir($0, 0o755) }) == 0 else {
            throw ControlGroupObstacle(errno: errno)
        }
        // Version 1 counts the buffers of TCP only where they have a limit; kernels without this file are left alone.
        if place.version == .first { try? group.write("\(1 << 50)", to: "memory.kmem.tcp.limit_in_bytes") }
        return group
    }

    /// Removes groups of sessions whose processes have ended.
    private static func removeRemains(in place: ControlGroupPlace) {
        for name in ControlGroup.names(in: place.folder) {
            guard let session = SessionName(name), session.isOver else { continue }
            ControlGroup(version: place.version, folder: place.folder + "/" + name).remove()
        }
    }
}

/// The name of a session's group, by which later processes know that it is over.
private struct SessionName: Hashable {
    private static let prefix = "memprobe-"
    /// The namespace in which the process has its number.
    private let namespace: String
    private let process: Int32
    /// The time of its start after boot, in ticks of the kernel: numbers of processes are used again.
    private let start: Int
    /// The number of the session within its process.
    private let number: Int
    private static let count = Atomic(0)

    init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard text.hasPrefix(Self.prefix), parts.count == 5, let process = Int32(parts[2]), let start = Int(parts[3]),
            let number = Int(parts[4])
        else { return nil }
        (namespace, self.process, self.start, self.number) = (String(parts[1]), process, start, number)
    }

    /// The name of the next session of this process.
    init() {
        namespace = Self.ownNamespace
        process = getpid()
        start = Self.startTime(of: process) ?? 0
        number = Self.count.wrappingAdd(1, ordering: .relaxed).newValue
    }

    var text: String { "\(Self.prefix)\(namespace)-\(process)-\(start)-\(number)" }

    /// True if its process has ended; false if that cannot be known, as for a process of another namespace that exists.
    var isOver: Bool {
        let own = Self.ownNamespace
        if namespace == own { return Self.startTime(of: process) != start }
        // A node or container that was killed as a whole; only from the first namespace, all others are seen.
        return own == Self.firstNamespace && Self.namespacesInUse().map { !$0.contains(namespace) } ?? false
    }

    /// The number of the machine's first PID namespace, in every kernel (`PROC_PID_INIT_INO`).
    private static let firstNamespace = "4026531836"

    /// The number of the PID namespace.
    private static var ownNamespace: String { namespace(of: "self") ?? "" }

    private static func namespace(of process: String) -> String? {
        SystemText.target(ofLink: "/proc/\(process)/ns/pid").map { $0.filter(\.isNumber) }
    }

    /// True if a process is in a namespace below this one, as it then has a number in each.
    private static func isNested(_ process: String) -> Bool {
        let status = (try? Descriptor.text(ofFileAt: "/proc/\(process)/status")) ?? ""
        let numbers = status.split(separator: "\n").first { $0.hasPrefix("NSpid:") }
        return numbers?.split(whereSeparator: \.isWhitespace).count != 2
    }

    /// The PID namespaces of all processes; `nil` if those of some in other namespaces may not be read.
    private static func namespacesInUse() -> Set<String>? {
        guard var stream = FolderStream("/proc") else { return nil }
        var found: Set<String> = []
        while let name = stream.next() {
            guard name.allSatisfy(\.isNumber) else { continue }
            if let namespace = namespace(of: name) {
                found.insert(namespace)
            } else if errno != ENOENT, errno != ESRCH, isNested(name) {
                return nil
            }
        }
        return found
    }

    private static func startTime(of process: Int32) -> Int? {
        (try? Descriptor.text(ofFileAt: "/proc/\(process)/stat")).flatMap { try? StatFile(parsing: $0) }?.startTicks
    }
}

/// The group into which this process moves to make groups beside itself: version 2 allows none below a group with
/// processes of its own.
private struct OwnLeaf {
    private let place: ControlGroupPlace
    private let leaf: ControlGroup

    init(_ place: ControlGroupPlace) {
        self.place = place
        leaf = ControlGroup(version: .second, folder: place.folder + "/" + ControlGroupPlace.ownLeaf)
    }

    private var parent: ControlGroup { ControlGroup(version: .second, folder: place.folder) }

    /// Runs `body` while no other session makes room here or leaves; in version 1, without a leaf, at once.
    func whileLocked<Result>(
        _ body: (OwnLeaf?) throws(ControlGroupObstacle) -> Result
    ) throws(ControlGroupObstacle) -> Result {
        guard place.version == .second else { return try body(nil) }
        let folder = SystemText.withCString(place.folder) { open($0, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        guard folder >= 0 else { throw ControlGroupObstacle(errno: errno) }
        defer { close(folder) }
        var attempts = Self.lockAttempts
        while flock(folder, LOCK_EX | LOCK_NB) != 0 {
            attempts -= 1
            guard errno == EWOULDBLOCK, attempts > 0 else { throw ControlGroupObstacle(errno: errno) }
            usleep(Self.lockPause)
        }
        return try body(self)
    }

    /// Attempts to lock the group, ten seconds in all; another session holds the lock while it moves processes.
    private static let lockAttempts = 1000
    private static let lockPause: UInt32 = 10_000
    /// Attempts to empty a group while processes in it start others.
    private static let moveAttempts = 50

    /// Passes the memory controller on to groups below, after moving this process and its relatives if that is needed.
    func makeRoom() throws(ControlGroupObstacle) {
        do throws(ControlGroupObstacle) {
            for _ in 0..<Self.moveAttempts {
                if passesMemory { return }
                if try passMemory() { return }
                try moveAll()
            }
            throw .refused(EBUSY)
        } catch {
            leave()
            throw error
        }
    }

    /// Passes the memory controller on; returns false if processes are in the group.
    private func passMemory() throws(ControlGroupObstacle) -> Bool {
        do throws(ControlGroupObstacle) {
            try parent.write("+memory", to: "cgroup.subtree_control")
            return true
        } catch .hidden {
            // The kernel's answer to a controller that the group above keeps.
            throw .notDelegated
        } catch .refused(EBUSY) {
            return false
        }
    }

    private func moveAll() throws(ControlGroupObstacle) {
        let inside = processes(in: parent)
        // Those that were moved before are relatives still, and the parents of some that have begun since.
        let relatives = Relatives(among: inside + processes(in: leaf))
        let strangers = inside.filter { !relatives.contains($0) }
        guard strangers.isEmpty else { throw .occupied(processes: strangers.count) }
        guard SystemText.withCString(leaf.folder, { mkdir($0, 0o755) }) == 0 || errno == EEXIST else {
            throw ControlGroupObstacle(errno: errno)
        }
        for process in inside { try move(process, to: leaf) }
    }

    /// Moves all processes back, unless another session needs the room.
    func leave() {
        let names = ControlGroup.names(in: place.folder)
        guard names.contains(ControlGroupPlace.ownLeaf), names.allSatisfy({ SessionName($0) == nil }) else { return }
        try? parent.write("-memory", to: "cgroup.subtree_control")
        for _ in 0..<Self.moveAttempts {
            for process in processes(in: leaf) { try? move(process, to: parent) }
            if leaf.remove() { return }
        }
    }

    private var passesMemory: Bool {
        let passed = try? Descriptor.text(ofFileAt: place.folder + "/cgroup.subtree_control")
        return passed?.split(whereSeparator: \.isWhitespace).contains("memory") ?? false
    }

    private func processes(in group: ControlGroup) -> [Int32] {
        let text = try? Descriptor.text(ofFileAt: group.folder + "/cgroup.procs")
        return (text ?? "").split(separator: "\n").compactMap { Int32($0) }
    }

    private func move(_ process: Int32, to group: ControlGroup) throws(ControlGroupObstacle) {
        do throws(ControlGroupObstacle) {
            try group.write("\(process)", to: "cgroup.procs")
        } catch .refused(ESRCH) {
            // It has ended meanwhile.
        }
    }
}

/// The processes of a group that belong to this one: those below its first ancestor in the group, such as the shell of a
/// container with everything that it started.
private struct Relatives {
    private let top: Int32
    private let files = ProcessFiles()

    init(among inside: [Int32]) {
        var top = getpid()
        while let parent = files.stat(of: top)?.parent, inside.contains(parent) { top = parent }
        self.top = top
    }

    func contains(_ process: Int32) -> Bool {
        var current = process
        while current > 0 {
            if current == top { return true }
            guard let parent = files.stat(of: current)?.parent else {
                // It has ended since the group was listed, or its parent has, and another one takes its place.
                return current == process || contains(process)
            }
            current = parent
        }
        return false
    }
}
