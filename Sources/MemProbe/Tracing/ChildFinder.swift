// SPDX-License-Identifier: Apache-2.0

import CMemProbe

#if canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Finds the children of processes that cannot be traced.
///
/// It reads the `children` files of the kernel, or without them the parent of every process.
struct ChildFinder {
    private let hasChildrenFiles = access("/proc/thread-self/children", R_OK) == 0
    private let own = getpid()
    private var before: Set<Int32> = []
    /// The process that adopts the command's orphans, until it has ended.
    var guardian: Int32?

    init() { before = Set(children(of: own)) }

    /// Returns the processes of a command: all descendants of its leader, and the orphans that this process or the
    /// guardian adopted.
    func descendants(of leader: Int32) -> [Int32] {
        var found = [leader]
        var seen = before.union(found)
        if let guardian {
            seen.insert(guardian)
            found += children(of: guardian).filter { seen.insert($0).inserted }
        }
        found += children(of: own).filter { seen.insert($0).inserted }
        var next = 0
        while next < found.count {
            found += children(of: found[next]).filter { seen.insert($0).inserted }
            next += 1
        }
        return found
    }

    /// True if a command whose leader has ended has any process left, including zombies.
    ///
    /// The guardian ends with the last of them. If it was killed, the orphans are this process's own children; if there
    /// are no others, the kernel can be asked atomically. Lists change while they are read, and a process that ends
    /// just then hides its children.
    func findsAny(of leader: Int32) -> Bool {
        guard guardian == nil else { return true }
        return before.isEmpty ? cmemprobe_has_children() : descendants(of: leader).count > 1
    }

    static func threads(of process: Int32) -> [Int32] { numbers(in: "/proc/\(process)/task") }

    private func children(of process: Int32) -> [Int32] {
        hasChildrenFiles ? Self.listed(of: process) : childrenByParent(of: process)
    }

    /// Returns the children of a process as the kernel lists them, if it does.
    static func listed(of process: Int32) -> [Int32] {
        threads(of: process).flatMap { words(of: "/proc/\(process)/task/\($0)/children") }
    }

    private func childrenByParent(of process: Int32) -> [Int32] {
        let files = ProcessFiles()
        return Self.numbers(in: "/proc").filter { files.stat(of: $0)?.parent == process }
    }

    private static func words(of path: String) -> [Int32] {
        let text = TextBuffer()
        guard let file = try? Descriptor(opening: path), let count = try? file.read(into: text) else { return [] }
        return String(decoding: text.prefix(count), as: UTF8.self).split(separator: " ").compactMap { Int32($0) }
    }

    private static func numbers(in folder: String) -> [Int32] {
        guard var stream = FolderStream(folder) else { return [] }
        var numbers: [Int32] = []
        while let name = stream.next() {
            if let number = Int32(name) { numbers.append(number) }
        }
        return numbers
    }
}
