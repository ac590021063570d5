// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Measuring
import Runs
import Testing
import TrialKit

/// What may be given for requests of a foreign URL, and what no complaint about it repeats.
struct RequestWordsTests {
    private static let url = "https://host/asset"

    private func words(_ headers: [String], method: String? = nil, body: String? = nil) -> RequestWords {
        var words = RequestWords()
        words.headers = headers
        words.method = method
        words.body = body
        return words
    }

    private func complaint(_ words: RequestWords, for url: String? = Self.url) -> String {
        do {
            _ = try words.details(for: url)
            return ""
        } catch {
            return "\(error)"
        }
    }

    @Test func headersAreNamesAndValues() throws {
        let details = try words(["Authorization: Bearer a:b", "X-Empty-Front:\t v "]).details(for: Self.url)
        #expect(
            details?.fields == [
                .init(name: "Authorization", value: "Bearer a:b"), .init(name: "X-Empty-Front", value: "v"),
            ])
        #expect(details?.method == "GET" && details?.body == nil)
        #expect(try words([]).details(for: nil) == nil)
        #expect(try words([], method: "GET").details(for: Self.url) == nil, "that is what every request is")
    }

    @Test(arguments: [
        ("SECRETVALUE", "header name"), (": SECRETVALUE", "header name"), ("SECRET VALUE: x", "header name"),
        ("X-Key: SECRET\r\nHost: evil", "line break"), ("X-Key: SECRET\nVALUE", "line break"),
        ("X-Key: SECRET\0VALUE", "control"), ("X-Key: SECRET\u{7F}VALUE", "control"), ("X-Key: SECRÉT", "ASCII"),
        ("X-Key:  ", "no value"), ("X-Key: …", "is not stored"), ("Host: SECRETVALUE", "the URL sets it"),
        ("content-length: 5", "length"), ("Transfer-Encoding: chunked", "length"), ("RANGE: bytes=0-", "whole body"),
        ("Accept-Encoding: br", "compression"), ("Connection: close", "connections"),
        ("Expect: 100-continue", "own connections"),
        ("Nämé: SECRETVALUE", "header name"),
    ])
    func whatIsNoHeaderIsRefusedWithoutItsValue(text: String, reason: String) {
        let complaint = complaint(words(["Accept: */*", text]))
        #expect(complaint.hasPrefix("--header 2") && complaint.contains(reason), "\(complaint)")
        #expect(!complaint.contains("SECR"), "\(complaint)")
        #expect(!complaint.unicodeScalars.contains { $0.value < 0x20 })
    }

    @Test func aHeaderIsGivenOnceAndNotBesideAUser() {
        #expect(complaint(words(["X-A: SECRETONE", "x-a: SECRETTWO"])).contains("x-a is given twice"))
        let both = complaint(words(["authorization: SECRET"]), for: "https://me:pw@host/")
        #expect(both.contains("a user in --url") && !both.contains("SECRET") && !both.contains("pw"))
        #expect(complaint(words(["X-A: " + String(repeating: "a", count: 40_000)])).contains("32 KiB"))
        #expect(complaint(words(["X-A: b"]), for: nil).contains("need --url"))
        #expect(complaint(words([], method: "POST"), for: nil).contains("need --url"))
    }

    @Test(arguments: [
        ("", "HTTP method"), ("post", "such as POST"), ("PO ST", "HTTP method"), ("GET\r\n", "HTTP method"),
        ("HEAD", "no body"), ("CONNECT", "tunnel"), ("TRACE", "echoes"), ("ÄPI", "HTTP method"),
    ])
    func whatIsNoMethodIsRefused(text: String, reason: String) {
        let complaint = complaint(words([], method: text))
        #expect(complaint.hasPrefix("invalid --request-method ") && complaint.contains(reason), "\(complaint)")
    }

    @Test func aFileHoldsOneHeaderALine() throws {
        try withFolder { folder in
            let file = folder + "/headers"
            try Data("# mine\r\nAuthorization: Bearer x\r\n\r\nX-Key: y\n".utf8).write(to: URL(fileURLWithPath: file))
            let details = try words(["Accept: a/b", "@" + file]).details(for: Self.url)
            #expect(details?.fields.map(\.name) == ["Accept", "Authorization", "X-Key"])
            #expect(details?.fields.map(\.value) == ["a/b", "Bearer x", "y"])
            try Data("X-Key: y\nSECRETVALUE\n".utf8).write(to: URL(fileURLWithPath: file))
            let said = complaint(words(["@" + file]))
            #expect(said.contains("line 2") && !said.contains("SECRET"), "\(said)")
            try Data("\n\n".utf8).write(to: URL(fileURLWithPath: file))
            #expect(complaint(words(["@" + file])).contains("has no header"))
            #expect(complaint(words(["@\(folder)/nothing"])).contains("No such file"))
            #expect(complaint(words(["@" + folder])).contains("Is a directory"))
            #expect(complaint(words(["@/dev/zero"])).contains("not a regular file"))
            #expect(truncate(file, 1 << 30) == 0)
            #expect(complaint(words(["@" + file])).contains("more than"))
        }
    }

    @Test func aBodyIsAFileThatIsThereAndStays() throws {
        try withFolder { folder in
            let file = folder + "/body"
            try Data("abc".utf8).write(to: URL(fileURLWithPath: file))
            let details = try words([], body: file).details(for: Self.url)
            #expect(details?.method == "POST" && details?.body?.byteCount == 3 && details?.body?.path == file)
            // That of `printf abc | sha256sum`.
            let hash = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
            #expect(details?.body?.sha256 == hash)
            #expect(try words([], method: "PUT", body: file).details(for: Self.url)?.method == "PUT")
            #expect(complaint(words([], method: "GET", body: file)).contains("--request-method GET"))
            #expect(complaint(words([], body: folder + "/nothing")).contains("No such file"))
            #expect(complaint(words([], body: folder)).contains("must be a regular file"))
            #expect(complaint(words([], body: "/dev/zero")).contains("must be a regular file"))
            #expect(complaint(words([], body: "…")).contains("is not stored"))
            #expect(truncate(file, 65 << 20) == 0)
            #expect(complaint(words([], body: file)).contains("64"))
        }
    }

    @Test func anOutlineHoldsNoValue() throws {
        let fields = [RequestDetails.Field(name: "Authorization", value: "SECRET")]
        var details = RequestDetails(fields: fields, method: "PUT")
        details.body = RequestDetails.Body(path: "/home/SECRET", byteCount: 3, sha256: "ba7816bf")
        let outline = try #require(RequestOutline(details))
        let text = String(decoding: try JSONEncoder().encode(outline), as: UTF8.self)
        #expect(!text.contains("SECRET") && text.contains("\"body_bytes\":3"), "\(text)")
        #expect(outline.text == "PUT with 3 bytes (SHA-256 ba7816bf…) and the field Authorization")
        #expect(outline.flags == ["--header 'Authorization: …'", "--body '…'", "--request-method PUT"])
        #expect("\(fields[0])" == "Authorization: …", "nor what a debugger or an error prints by accident")
    }

    @Test func whatQuotesAValueIsRedacted() {
        let details = RequestDetails(fields: [
            .init(name: "Authorization", value: "Bearer abcdefghijk"), .init(name: "X-Pin", value: "9a7"),
            .init(name: "X-One", value: "1"),
        ])
        let said = details.redacted(in: "status 401: abcdefghijk, Bearer abcdefghijk, 9a7")
        #expect(said == "status 401: REDACTED, REDACTED, REDACTED")
    }

    @Test func aShortValueIsRedactedAsAWordAlone() {
        let details = RequestDetails(fields: [.init(name: "X-V", value: "connect")])
        let said = details.redacted(in: "connection_refused: connect, re-connect_all")
        #expect(said == "connection_refused: REDACTED, re-connect_all")
    }

    private func withFolder(_ body: (String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.path + "/fetchbench-request-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try body(folder)
    }
}
