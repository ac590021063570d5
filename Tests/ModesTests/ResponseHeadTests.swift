// SPDX-License-Identifier: Apache-2.0

import Testing
import TrialKit

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

    @Test(arguments: ["HTTP/1.1 200", "HTTP/1.0 200 OK", "HTTP/1.1 200 ", "HTTP/1.1 200 All is well"])
    func theReasonDoesNotMatter(line: String) throws {
        #expect(try ResponseHead(parsing: line).status == 200)
    }

    @Test(arguments: [
        "", "\r\n", "SSH-2.0-OpenSSH_9.2", "HTTP/2 200", "HTTP/1.1", "HTTP/1.1 20", "HTTP/1.1 2000 OK", "HTTP/1.1 abc",
        "HTTP/1.1  200 OK", "HTTP/1.1 +20 OK", "HTTP/1.1 -12 OK", "http/1.1 200 OK",
    ])
    func whatIsNoStatusLineIsMalformed(text: String) {
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

    @Test func equalHeadsHaveEqualStatusAndFields() throws {
        #expect(try head(["A: 1"]) == head(["a: 1"]))
        #expect(try head(["A: 1"]) != head(["A: 2"]))
        #expect(try head(["A: 1"]).hashValue == head(["a: 1"]).hashValue)
    }

    private func head(_ fields: [String]) throws -> ResponseHead {
        try ResponseHead(parsing: (["HTTP/1.1 200 OK"] + fields).joined(separator: "\r\n"))
    }
}
