// SPDX-License-Identifier: Apache-2.0

import Glibc
package import Runs

/// All that the tracer has to know of a server to measure it: its requests, with every placeholder filled.
package struct ServerOrder: Codable, Hashable, Sendable {
    package struct Request: Codable, Hashable, Sendable {
        package var method: String
        package var path: String
        package var bodyByteCount: Int?
        package var fields: [RequestDetails.Field]

        /// `POST /upload`, as messages name it.
        package var words: String { path.isEmpty ? "of its client" : "\(method) \(SafeText.forTerminal(path))" }
    }

    /// A command that makes the requests, with its environment and folder.
    package struct Client: Codable, Hashable, Sendable {
        var words: [String]
        var environment: [String: String]
        var directory: String
    }

    package var port: Int
    package var request: Request
    /// `nil` for none besides the client's.
    package var warmup: Request?
    package var client: Client?
    package var readyPath: String?
    package var startSeconds: Double
    package var idleSeconds: Double
    /// The requests in flight at once.
    package var concurrency: Int
    /// How often that many requests are made.
    package var rounds: Int
    /// The bytes a second that each client reads or writes; `nil` for as fast as it can.
    package var rate: Int?
    /// The bytes in each chunk of a request's body; `nil` for a body with its length.
    package var chunk: Int?
    package var hashes: Bool
    /// The file by which a recorder in the server is told the marks; `nil` in every measured trial.
    package var instantPath: String?

    init(
        _ server: ServerRequest, of cell: Case, with values: [CommandParameter.Value], port: Int,
        fields: [RequestDetails.Field], hashes: Bool
    ) {
        func request(_ path: String, with values: [CommandParameter.Value]) -> Request {
            Request(
                method: server.method, path: CommandTemplate.filled(path, with: values),
                bodyByteCount: server.bodyByteCount(with: values)?.rawValue, fields: fields)
        }
        let small = values.map { value in
            guard value.name == ServerRequest.sizeParameter else { return value }
            // In the words of the list: a server that is told a number of bytes does not know KiB.
            return CommandParameter.Value(value.name, Int(value.value) == nil ? ServerRequest.warmupSize : "1024")
        }
        self.port = port
        self.request = request(server.path, with: values)
        var warmup = request(server.warmup ?? server.path, with: small)
        if server.body != nil { warmup.bodyByteCount = ByteCount(parsing: ServerRequest.warmupSize)?.rawValue }
        if server.warmup != nil { (warmup.method, warmup.bodyByteCount) = ("GET", nil) }
        self.warmup = server.client != nil && server.warmup == nil ? nil : warmup
        readyPath = server.ready.map { CommandTemplate.filled($0, with: values) }
        (startSeconds, idleSeconds) = (server.start, server.idle)
        (concurrency, rounds) = (cell.conditions.concurrency, cell.conditions.scenario.count ?? 1)
        rate = cell.conditions.clientRate?.rawValue
        chunk = cell.conditions.chunk?.rawValue
        self.hashes = hashes
    }
}

enum FreePort {
    /// Returns a port of 127.0.0.1 on which nothing listens now.
    static func number() throws -> Int {
        let probe = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer { close(probe) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isFound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(probe, $0, size) == 0 && getsockname(probe, $0, &size) == 0
            }
        }
        guard isFound else { throw FetchBenchError(kernel: "no port of 127.0.0.1 is free", errno: errno) }
        return Int(UInt16(bigEndian: address.sin_port))
    }
}
