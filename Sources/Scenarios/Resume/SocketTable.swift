// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The TCP sockets of this machine that have to do with a port, as the kernel lists them: what each of them holds.
package struct SocketTable: Sendable {
    /// A socket.
    package struct Row: Hashable, Sendable {
        /// The port at its own end.
        package let localPort: Int
        /// The port at the other end.
        package let remotePort: Int
        /// How many bytes were written to it that the other end has not acknowledged.
        package let unacknowledgedByteCount: Int
        /// How many bytes have come that nobody has read.
        package let unreadByteCount: Int
        /// The number by which the descriptors of a process name it.
        package let inode: Int

        /// Parses a line of `/proc/net/tcp`; `nil` of one that is no socket.
        package init?(parsing line: String) {
            let words = line.split(separator: " ")
            guard words.count >= 10, let local = Self.port(words[1]), let remote = Self.port(words[2]),
                case let queues = words[4].split(separator: ":").compactMap({ Int($0, radix: 16) }), queues.count == 2,
                let inode = Int(words[9])
            else { return nil }
            localPort = local
            remotePort = remote
            unacknowledgedByteCount = queues[0]
            unreadByteCount = queues[1]
            self.inode = inode
        }

        private static func port(_ word: Substring) -> Int? {
            word.split(separator: ":").last.flatMap { Int($0, radix: 16) }
        }
    }

    /// What is on its way to a process.
    package struct Underway: Hashable, Sendable {
        /// How many bytes the other end has written that have not come.
        package let unacknowledgedByteCount: Int
        /// How many bytes have come that the process has not read.
        package let unreadByteCount: Int
    }

    private let port: Int
    private let rows: [Row]

    /// Creates a table of the sockets at both ends of a server's connections.
    package init(_ rows: some Sequence<Row>, ofServerAt port: Int) {
        self.port = port
        self.rows = rows.filter { $0.localPort == port || $0.remotePort == port }
    }

    /// The sockets now; none where the kernel does not list them.
    init(ofServerAt port: Int) {
        var rows: [Row] = []
        // Line by line: where connections come and go there are thousands, and their text would be in the heap of whoever
        // is measured afterwards.
        if let file = fopen("/proc/net/tcp", "re") {
            var line: UnsafeMutablePointer<CChar>?
            var capacity = 0
            while getline(&line, &capacity, file) > 0, let text = line {
                if let row = Row(parsing: String(cString: text)), row.localPort == port || row.remotePort == port {
                    rows.append(row)
                }
            }
            free(line)
            fclose(file)
        }
        self.init(rows, ofServerAt: port)
    }

    /// What is on its way from the server to the process that has sockets of these inodes; `nil` where it has no connection
    /// to it.
    package func underway(to inodes: Set<Int>) -> Underway? {
        let client = rows.filter { $0.remotePort == port && inodes.contains($0.inode) }
        guard !client.isEmpty else { return nil }
        let ports = Set(client.map(\.localPort))
        let server = rows.filter { $0.localPort == port && ports.contains($0.remotePort) }
        return Underway(
            unacknowledgedByteCount: server.reduce(0) { $0 + $1.unacknowledgedByteCount },
            unreadByteCount: client.reduce(0) { $0 + $1.unreadByteCount })
    }

    /// The inodes of the sockets that a process has open among its first thousand descriptors.
    static func inodes(of process: Int32) -> Set<Int> {
        var inodes: Set<Int> = []
        var target = [CChar](repeating: 0, count: 64)
        for descriptor in 0..<1000 {
            let count = readlink("/proc/\(process)/fd/\(descriptor)", &target, target.count)
            guard count > 0 else { continue }
            let text = String(decoding: target[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
            guard text.hasPrefix("socket:["), let inode = Int(text.dropFirst("socket:[".count).dropLast()) else {
                continue
            }
            inodes.insert(inode)
        }
        return inodes
    }
}
