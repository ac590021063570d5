// SPDX-License-Identifier: Apache-2.0

import Testing
import TrialKit

/// Reads scripted answers from a real socket, through buffers of every size: each size cuts the answer elsewhere.
@Suite(.timeLimit(.minutes(5)))
struct HTTPReaderTests {
    private struct Answer: Equatable {
        let status: Int
        let body: String
        let byteCount: Int
    }

    private func read(_ server: LoopbackServer, bufferSize: Int = 65_536) throws(FetchFailure) -> Answer {
        let socket = try TCPSocket(host: "127.0.0.1", port: server.port, idleTimeoutSeconds: 10)
        try socket.send("GET / HTTP/1.1\r\n\r\n")
        var reader = HTTPReader(socket: socket, buffer: RawBuffer(byteCount: bufferSize))
        let head = try reader.readHead()
        var body: [UInt8] = []
        let count = try reader.readBody(framedBy: try head.framing()) { bytes throws(FetchFailure) in body += bytes }
        return Answer(status: head.status, body: String(decoding: body, as: UTF8.self), byteCount: count)
    }

    private func read(_ text: String) async throws -> Answer {
        try await LoopbackServer.serving({ _ in .init(raw: text) }, { try read($0) })
    }

    private func expectFailure(_ code: FetchFailure.Code, of text: String, _ detail: String) async {
        await #expect(throws: FetchFailure(code, detail)) { try await read(text) }
    }

    static let wellFormed: [(text: String, body: String)] = [
        ("HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\nhello world and more", "hello world"),
        ("HTTP/1.1 200 OK\nContent-Length: 5\n\nhello", "hello"),
        ("HTTP/1.1 200 OK\r\n\r\nuntil the end", "until the end"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", ""),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n6\r\nhello \r\nB;name=\"v\"\r\nchunk world\r\n"
                + "00001\r\n!\r\n0\r\n\r\n", "hello chunk world!"
        ),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1a\nabcdefghijklmnopqrstuvwxyz\n0\nX-Sum: 1\nX-More: 2\n\n",
            "abcdefghijklmnopqrstuvwxyz"
        ),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX-Trailer: a\r\n\r\n", ""),
        (
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
                + "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", "ok"
        ),
    ]

    @Test(arguments: wellFormed)
    func aBodyIsTheSameWhereverTheAnswerIsCut(text: String, body: String) async throws {
        let script: LoopbackServer.Script = { _ in .init(raw: text) }
        try await LoopbackServer.serving(script) { server in
            for size in Array(1...40) + [text.utf8.count, 65_536] {
                let answer = try read(server, bufferSize: size)
                #expect(answer == Answer(status: 200, body: body, byteCount: body.utf8.count), "buffer of \(size)")
            }
        }
    }

    @Test func aBodyCutShortIsTruncated() async {
        await expectFailure(
            .truncatedBody, of: "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n1234", "4 bytes arrived of 10 promised")
        let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        await expectFailure(
            .truncatedBody, of: chunked + "4\r\n1234\r\n8\r\n12",
            "the connection ended within a chunk, after 6 bytes")
        await expectFailure(.truncatedBody, of: chunked + "4\r\n1234\r\n", "the connection ended between chunks")
        await expectFailure(.truncatedBody, of: chunked + "4\r\n1234", "the connection ended between chunks")
        await expectFailure(.truncatedBody, of: chunked + "0\r\n", "the connection ended between chunks")
    }

    @Test(arguments: ["x", "", "-1", "+5", "0x5", "5 5 z", "ffffffffffffffffff"])
    func aChunkSizeThatIsNoNumberIsMalformed(size: String) async {
        // A size may be followed by spaces, as some servers pad it.
        let isPadded = size.hasPrefix("5 ")
        await expectFailure(
            .malformedResponse,
            of: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(size)\r\n12345678\r\n0\r\n\r\n",
            isPadded ? "a chunk is longer than its size" : "a chunk size is invalid")
    }

    @Test func aChunkLongerThanItsSizeIsMalformed() async {
        await expectFailure(
            .malformedResponse, of: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n1234\r\n0\r\n\r\n",
            "a chunk is longer than its size")
    }

    @Test func aConnectionThatEndsInTheHeaderIsLost() async {
        await expectFailure(.connectionLost, of: "", "the connection ended without an answer")
        await expectFailure(
            .connectionLost, of: "HTTP/1.1 200 OK\r\nContent-", "the connection ended within the header")
        await expectFailure(
            .connectionLost, of: "HTTP/1.1 100 Continue\r\n\r\n", "the connection ended without an answer")
    }

    @Test func aHeaderWithoutEndIsRefused() async {
        let fields = (0..<3000).map { "X-Field-\($0): \(String(repeating: "x", count: 20))\r\n" }.joined()
        await expectFailure(
            .malformedResponse, of: "HTTP/1.1 200 OK\r\n" + fields, "the header has more than 65536 bytes")
    }

    @Test func aLineBetweenChunksWithoutEndIsRefused() async {
        let line = String(repeating: "1", count: 5000)
        await expectFailure(
            .malformedResponse, of: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;\(line)",
            "a line between chunks is too long")
    }

    @Test func consumersCanStopABody() async throws {
        let script: LoopbackServer.Script = { _ in .init("200 OK", ["Content-Length: 200003"], body: TestBody.bytes) }
        try await LoopbackServer.serving(script) {
            let socket = try TCPSocket(host: "127.0.0.1", port: $0.port, idleTimeoutSeconds: 10)
            try socket.send("GET / HTTP/1.1\r\n\r\n")
            var reader = HTTPReader(socket: socket, buffer: RawBuffer(byteCount: 4096))
            let framing = try reader.readHead().framing()
            var pieces = 0
            #expect(throws: FetchFailure(.file, "full")) {
                try reader.readBody(framedBy: framing) { _ throws(FetchFailure) in
                    pieces += 1
                    if pieces == 3 { throw FetchFailure(.file, "full") }
                }
            }
            #expect(pieces == 3)
        }
    }
}

struct ResponseHeadTests {
    @Test(arguments: ["\r\n", "\n"])
    func aHeadIsAStatusAndFields(end: String) throws {
        let text = ["HTTP/1.1 206 Partial Content", "Content-Length:  12 \t", "ETag: \"a:b\"", "X-Empty:", "", ""]
        let head = try ResponseHead(parsing: text.joined(separator: end))
        #expect(head.status == 206)
        #expect(head.fields.map(\.name) == ["content-length", "etag", "x-empty"])
        #expect(head.fields.map(\.value) == ["12", "\"a:b\"", ""])
        #expect(head.value(of: "etag") == "\"a:b\"")
        #expect(head.value(of: "missing") == nil)
    }

    @Test(arguments: [
        "", "\r\n", "SSH-2.0-OpenSSH_9.2", "HTTP/2 200", "HTTP/1.1", "HTTP/1.1 20", "HTTP/1.1 2000 OK", "HTTP/1.1 abc",
        "HTTP/1.1  200 OK", "HTTP/1.1 +20 OK", "HTTP/1.1 -12 OK", "http/1.1 200 OK",
    ])
    func invalidStatusLinesAreMalformed(text: String) {
        #expect(throws: FetchFailure(.malformedResponse, "the answer does not begin with an HTTP/1 status line")) {
            try ResponseHead(parsing: text)
        }
    }

    @Test(arguments: ["no colon", ": no name", " folded line"])
    func aLineThatIsNoFieldIsMalformed(line: String) {
        #expect(throws: FetchFailure(.malformedResponse, "a header line has no colon")) {
            try ResponseHead(parsing: "HTTP/1.1 200 OK\r\n\(line)\r\n")
        }
    }

    @Test(arguments: [
        (["Content-Length: 42"], ResponseHead.Framing.length(42)),
        (["content-length: 0"], .length(0)),
        (["Content-Length: 42", "Content-Length: 42"], .length(42)),
        (["Transfer-Encoding: chunked"], .chunked),
        (["Transfer-Encoding: Chunked", "Content-Length: 42"], .chunked),
        (["ETag: \"a\""], .close),
        ([], .close),
    ])
    func theEndOfABodyIsMarkedOneWay(fields: [String], framing: ResponseHead.Framing) throws {
        #expect(try head(fields).framing() == framing)
    }

    /// RFC 9112, 6.3: whatever their fields say.
    @Test(arguments: ["100 Continue", "101 Switching Protocols", "204 No Content", "304 Not Modified"])
    func someAnswersHaveNoBody(status: String) throws {
        for fields in ["", "Content-Length: 42\r\n", "Transfer-Encoding: chunked\r\n", "Content-Length: x\r\n"] {
            #expect(try ResponseHead(parsing: "HTTP/1.1 \(status)\r\n\(fields)").framing() == .length(0))
        }
        #expect(try ResponseHead(parsing: "HTTP/1.1 205 Reset Content\r\n").framing() == .close)
    }

    @Test(arguments: [
        ["Content-Length: 42", "Content-Length: 43"], ["Content-Length: -1"], ["Content-Length: +1"],
        ["Content-Length: 12 bytes"], ["Content-Length: 4 2"], ["Content-Length:"],
        ["Content-Length: 99999999999999999999"], ["Content-Length: 0x10"],
    ])
    func aLengthThatIsNoSingleNumberIsMalformed(fields: [String]) throws {
        let head = try head(fields)
        #expect(throws: FetchFailure(.malformedResponse, "the Content-Length is invalid")) {
            try head.framing()
        }
    }

    @Test(arguments: ["gzip", "gzip, chunked", "identity", ""])
    func anotherTransferCodingIsNotSpoken(coding: String) throws {
        let head = try head(["Transfer-Encoding: \(coding)"])
        #expect(throws: FetchFailure(.malformedResponse, "this transfer encoding is not spoken here")) {
            try head.framing()
        }
    }

    private func head(_ fields: [String]) throws -> ResponseHead {
        try ResponseHead(parsing: (["HTTP/1.1 200 OK"] + fields).joined(separator: "\r\n"))
    }
}
