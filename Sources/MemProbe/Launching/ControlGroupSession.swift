// SPDX-License-Identifier: Apache-2.0

import Libc

/// The control groups that this process makes, one for each measured process, below one of its own.
///
/// A keeper removes them when this process is gone, however it ends. What a killed keeper left, the next session removes.
package final class ControlGroupSession: Sendable {
    private let place: ControlGroupPlace
    private let own: ControlGroup
    private let keeper: KeptFolder
    /// The open, locked folder of ``own``; the kernel releases the lock when this process dies, in any PID namespace.
    private let lock: Int32
    private static let prefix = "memprobe-session-"

    /// Makes the session's group in that of this process.
    ///
    /// In version 2 a group with processes has no groups with a memory controller below it: there, this process and its
    /// relatives move into another group.
    package init(in place: ControlGroupPlace) throws(ControlGroupObstacle) {
        self.place = place
        let name = "\(Self.prefix)\(getpid())-\(UInt32.random(in: 0 ... .max))"
        let own = ControlGroup(version: place.version, folder: place.folder + "/" + name)
        self.own = own
        (keeper, lock) = try OwnLeaf(place).whileLocked { leaf throws(ControlGroupObstacle) in
            Self.removeRemains(in: place)
            try leaf?.makeRoom()
            do throws(MemProbeError) {
                let keeper = try KeptFolder(at: own.folder)
                guard let lock = own.locked() else { throw MemProbeError(.unwritable, source: name, errno: EBUSY) }
                return (keeper, lock)
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
        close(lock)
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
        for name in ControlGroup.names(in: place.folder) where isSession(name) {
            let group = ControlGroup(version: place.version, folder: place.folder + "/" + name)
            guard let lock = group.locked() else { continue }
            group.remove()
            close(lock)
        }
    }

    static func isSession(_ name: String) -> Bool { name.hasPrefix(prefix) }

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

        /// Runs `body` while no other session begins here or leaves; in version 1 without a leaf.
        func whileLocked<Result>(
            _ body: (OwnLeaf?) throws(ControlGroupObstacle) -> Result
        ) throws(ControlGroupObstacle) -> Result {
            let folder = SystemText.withCString(place.folder) { open($0, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
            guard folder >= 0 else { throw ControlGroupObstacle(errno: errno) }
            defer { close(folder) }
            var attempts = Self.lockAttempts
            while flock(folder, LOCK_EX | LOCK_NB) != 0 {
                attempts -= 1
                guard errno == EWOULDBLOCK, attempts > 0 else { throw ControlGroupObstacle(errno: errno) }
                usleep(Self.lockPause)
            }
            return try body(place.version == .second ? self : nil)
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
            let inside = parent.processes
            // Those that were moved before are relatives still, and the parents of some that have begun since.
            let relatives = Relatives(among: inside + leaf.processes)
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
            if names.contains(where: ControlGroupSession.isSession) || !names.contains(ControlGroupPlace.ownLeaf) {
                return
            }
            try? parent.write("-memory", to: "cgroup.subtree_control")
            for _ in 0..<Self.moveAttempts {
                for process in leaf.processes { try? move(process, to: parent) }
                if leaf.remove() { return }
            }
        }

        private var passesMemory: Bool {
            let passed = try? Descriptor.text(ofFileAt: place.folder + "/cgroup.subtree_control")
            return passed?.split(whereSeparator: \.isWhitespace).contains("memory") ?? false
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
}
