// SPDX-License-Identifier: Apache-2.0

import Libc
import Synchronization

/// The files on drives that the processes of a control group map or have open, as far as it was looked in time: what a new
/// container has to read itself.
package final class GroupFiles: Sendable {
    private let found = Mutex<(mapped: Set<String>, open: Set<String>)>(([], []))
    /// The program of this process, a copy of which waits to become the command.
    private let own = SystemText.target(ofLink: "/proc/self/exe")

    package init() {}

    /// Looks at the processes of a group each millisecond until the task is cancelled.
    package func follow(_ group: ControlGroup) async {
        while !Task.isCancelled {
            look(in: group)
            try? await Task.sleep(for: .milliseconds(1))
        }
    }

    private func look(in group: ControlGroup) {
        for process in group.processes where SystemText.target(ofLink: "/proc/\(process)/exe") != own {
            let maps = try? Descriptor(opening: "/proc/\(process)/maps").readWhole()
            for line in (maps ?? []).split(separator: UInt8(ascii: "\n")) {
                // Nothing but a path has a slash.
                guard let start = line.firstIndex(of: UInt8(ascii: "/")) else { continue }
                found.withLock { _ = $0.mapped.insert(SystemText.string(of: line[start...])) }
            }
            guard var stream = FolderStream("/proc/\(process)/fd") else { continue }
            while let name = stream.next() {
                guard let path = SystemText.target(ofLink: "/proc/\(process)/fd/\(name)"), path.hasPrefix("/") else {
                    continue
                }
                found.withLock { _ = $0.open.insert(path) }
            }
        }
    }

    /// Gives up the cached pages of the files, as far as no other process maps them.
    package func drop() {
        let (mapped, open) = found.withLock { $0 }
        for file in mapped.union(open) where Self.isRegular(file) { try? PageCache.drop(ofFile: file) }
    }

    /// The cached pages of the mapped files: after ``drop()`` those that other processes map as well.
    package var stillCached: ByteCount {
        found.withLock { $0.mapped }.filter(Self.isRegular).reduce(.zero) { sum, file in
            sum + ((try? PageCache.residentBytes(ofFile: file)) ?? .zero)
        }
    }

    /// A named pipe would wait for its other end, and a device may do anything when it is opened.
    private static func isRegular(_ path: String) -> Bool {
        var information = stat()
        return SystemText.withCString(path) { stat($0, &information) } == 0 && information.st_mode & S_IFMT == S_IFREG
    }
}
