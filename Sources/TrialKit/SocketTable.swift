// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The TCP sockets of this machine with a given port, as listed by the kernel.
package struct SocketTable: Sendable {
    package struct Row: Hashable, Sendable {
        package let localPort: Int
        package let remotePort: Int
        /// The bytes written to it that the other end has not acknowledged.
        package let unacknowledgedByteCount: Int
        package let unreadByteCount: Int
        package let inode: Int
        package let isListening: Bool

        package init?(parsing line: String) {
            let words = line.split(separator: " ")
            guard words.count >= 10, let local = Self.port(words[1]), let remote = Self.port(words[2]),
                case let queues = words[4].split(separator: ":").compactMap({ Int($0, radix: 16) }), queues.count == 2,
                let inode = Int(words[9])
            else { return nil }
            (localPort, remotePort, self.inode) = (local, remote, inode)
            // TCP_LISTEN, in hexadecimal.
            isListening = words[3] == "0A"
            (unacknowledgedByteCount, unreadByteCount) = (queues[0], queues[1])
        }

        private static func port(_ word: Substring) -> Int? {
            word.split(separator: ":").last.flatMap { Int($0, radix: 16) }
        }
    }

    /// The bytes under way to a process.
    package struct Underway: Hashable, Sendable {
        /// The bytes written by the other end that have not arrived.
        package let unacknowledgedByteCount: Int
        package let unreadByteCount: Int
    }

    private let port: Int
    private let rows: [Row]

    /// Creates a table of the sockets at both ends of a server's connections.
    package init(_ rows: some Sequence<Row>, ofServerAt port: Int) {
        self.port = port
        // While other connections come and go, the kernel may list a socket twice.
        let own = rows.filter { $0.localPort == port || $0.remotePort == port }
        self.rows = Array(Dictionary(own.map { ([$0.localPort, $0.remotePort], $0) }) { $1 }.values)
    }

    /// Reads the sockets now; the table is empty if the kernel does not list them.
    package init(ofServerAt port: Int) {
        self.init(Self.rows { $0.localPort == port || $0.remotePort == port }, ofServerAt: port)
    }

    /// Returns the sockets that are wanted, of IPv4 and by default not of IPv6.
    package static func rows(in file: String = "tcp", where isWanted: (Row) -> Bool) -> [Row] {
        var rows: [Row] = []
        // Line by line: there may be thousands of connections, whose text would be in the heap of the process that is
        // measured afterwards.
        guard let file = fopen("/proc/net/\(file)", "re") else { return [] }
        var line: UnsafeMutablePointer<CChar>?
        var capacity = 0
        while getline(&line, &capacity, file) > 0, let text = line {
            if let row = Row(parsing: String(cString: text)), isWanted(row) { rows.append(row) }
        }
        free(line)
        fclose(file)
        return rows
    }

    /// Returns the bytes under way from the server to the process with these sockets, or `nil` without a connection.
    package func underway(to inodes: Set<Int>) -> Underway? {
        let client = rows.filter { $0.remotePort == port && inodes.contains($0.inode) }
        guard !client.isEmpty else { return nil }
        let ports = Set(client.map(\.localPort))
        let server = rows.filter { $0.localPort == port && ports.contains($0.remotePort) }
        return Underway(
            unacknowledgedByteCount: server.reduce(0) { $0 + $1.unacknowledgedByteCount },
            unreadByteCount: client.reduce(0) { $0 + $1.unreadByteCount })
    }

    /// Returns the inodes of the sockets among a process's first thousand descriptors.
    package static func inodes(of process: Int32) -> Set<Int> {
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
