// SPDX-License-Identifier: Apache-2.0

/// The request that is made of a server, and how its process is met: the part of a server before its command.
///
/// Its text is `GET /files/{size} ready=/health`: a method, a path, and words of the form `key=value`. With a client of
/// the user's own it is `CLIENT idle=1 hey -n 100 http://127.0.0.1:{port}/x`.
package struct ServerRequest: Codable, Hashable, Sendable {
    /// The placeholder for a free port of 127.0.0.1, on which the server has to listen.
    package static let portPlaceholder = "{port}"
    /// The placeholder for the URL of the embedded origin, under which its assets are: `{origin}/64MiB`.
    package static let originPlaceholder = "{origin}"
    /// The parameter that stands for a size; warm-up requests have 1 KiB in its place.
    package static let sizeParameter = "size"
    package static let warmupSize = "1KiB"
    private static let clientMethod = "CLIENT"

    package var method: String
    /// Empty with a client.
    package var path: String
    /// The size of the body, or `nil` for none; it may be `{size}`.
    package var body: String?
    /// The path that has to answer with a status of 200 to 299 before the first request; `nil` for an open port.
    package var ready: String?
    /// The path of the warm-up requests; `nil` for the same.
    package var warmup: String?
    /// The file that every answer has to equal; `nil` for the first answer.
    package var expected: String?
    /// The command that makes the requests in place of ours; `nil` for ours.
    package var client: String?
    /// The seconds in which the server has to be ready.
    package var start = 10.0
    /// The seconds without requests after the last one, before what stays is read.
    package var idle = 0.5

    package init(_ method: String, _ path: String) { (self.method, self.path) = (method, path) }

    package init(client: String) {
        self.init(Self.clientMethod, "")
        self.client = client
    }

    package init(parsing text: Substring) throws {
        var words = text.split(separator: " ")[...]
        let method = words.popFirst().map(String.init) ?? ""
        if method == Self.clientMethod {
            self.init(client: "")
            while let word = words.first, try take(String(word)) { words = words.dropFirst() }
            client = words.first.map { String(text[$0.startIndex...]) } ?? ""
            return
        }
        guard let path = words.popFirst(), path.hasPrefix("/"), method.allSatisfy({ ("A"..."Z").contains($0) }) else {
            throw FetchBenchError(
                usage: "invalid request '\(SafeText.ofCommand(String(text)))': expected METHOD /path, such as GET /big")
        }
        self.init(method, String(path))
        for word in words {
            guard try take(String(word)) else {
                throw FetchBenchError(
                    usage:
                        "'\(SafeText.ofCommand(String(word)))' does not belong to a request: expected body=SIZE, ready=/path, "
                        + "warmup=/path, expect=FILE, start=SECONDS or idle=SECONDS")
            }
        }
    }

    /// Takes a word of the form `key=value`; returns false if it is none of a request's.
    private mutating func take(_ word: String) throws -> Bool {
        let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { return false }
        switch parts[0] {
        case "body": body = parts[1]
        case "ready": ready = parts[1]
        case "warmup": warmup = parts[1]
        case "expect": expected = parts[1]
        case "start": start = try Self.seconds(parts[1], word, upTo: 3600)
        case "idle": idle = try Self.seconds(parts[1], word, upTo: 600)
        default: return false
        }
        return true
    }

    private static func seconds(_ text: String, _ word: String, upTo most: Double) throws -> Double {
        guard let seconds = Double(text), seconds >= 0, seconds <= most else {
            throw FetchBenchError(
                usage: "invalid '\(SafeText.ofCommand(word))': expected seconds from 0 to \(Int(most))")
        }
        return seconds
    }

    /// The text that ``init(parsing:)`` parses, with what is not as usual.
    package var text: String {
        let words = [method] + (client == nil ? [path] : []) + options.map { "\($0.key)=\($0.value)" }
        return (words + [client].compactMap(\.self)).joined(separator: " ")
    }

    /// The flags that say the same.
    package var flags: [String] {
        ["--" + method.lowercased(), client ?? path] + options.flatMap { ["--" + $0.flag, $0.value] }
    }

    private var options: [(key: String, flag: String, value: String)] {
        let usual = ServerRequest(method, path)
        let seconds = { (own: Double, usual: Double) in own == usual ? nil : CSV.text(own) }
        return [
            ("body", "body", body), ("ready", "ready", ready), ("warmup", "warmup-get", warmup),
            ("expect", "expect", expected), ("start", "start-timeout", seconds(start, usual.start)),
            ("idle", "idle", seconds(idle, usual.idle)),
        ].compactMap { key, flag, value in value.map { (key, flag, $0) } }
    }

    /// Returns the size of the body with the values of parameters.
    package func bodyByteCount(with values: [CommandParameter.Value]) -> ByteCount? {
        body.flatMap { ByteCount(parsing: CommandTemplate.filled($0, with: values)) }
    }

    /// Rejects what cannot be asked, or a server that is not told its port.
    func check(_ command: String, with values: [CommandParameter.Value]) throws {
        guard command.contains(Self.portPlaceholder) else {
            throw FetchBenchError(
                usage: "the server is not told where to listen: add {port}, which stands for a free port of 127.0.0.1 "
                    + "(env PORT={port} ./App, if it reads a variable)")
        }
        if let client {
            guard !client.allSatisfy(\.isWhitespace) else {
                throw FetchBenchError(usage: "the client is empty: expected a command that makes requests")
            }
            guard body == nil, expected == nil else {
                throw FetchBenchError(usage: "a client has bodies and answers of its own: omit --body and --expect")
            }
            _ = try ExternalCommand(name: "", command: client).launch(with: values)
        }
        for path in [client == nil ? path : nil, ready, warmup].compactMap(\.self) {
            let filled = CommandTemplate.filled(path, with: values)
            guard filled.hasPrefix("/"), filled.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
                throw FetchBenchError(
                    usage: "'\(SafeText.ofCommand(filled))' is not a path: expected printable ASCII that begins with /")
            }
        }
        guard let body else { return }
        guard method != "GET", method != "HEAD" else {
            throw FetchBenchError(usage: "\(method) has no body: use POST or PUT, or omit the body")
        }
        guard let size = bodyByteCount(with: values), size > .zero, size <= .mebibytes(1 << 20) else {
            throw FetchBenchError(
                usage:
                    "'\(SafeText.ofCommand(CommandTemplate.filled(body, with: values)))' is not the size of a body: expected one such as "
                    + "64MiB, up to 1TiB")
        }
    }
}
