// SPDX-License-Identifier: Apache-2.0

import MemProbe
import NIOHTTP1
import Origin
import Testing

@Suite("A challenge or a redirect", .timeLimit(.minutes(2)))
struct NegotiationTests {
    @Test("is found with its parts")
    func found() throws {
        let redirect = Negotiation.Redirect(status: 307, target: "/sink", cookie: "step")
        #expect(try Route(try .make("/redirect/307?to=/sink&cookie=step")) == .negotiation(.redirect(redirect)))
        #expect(try Route(try .make("/auth/digest")) == .negotiation(.digest))
    }

    @Test(
        "is refused with the status that says why",
        arguments: [
            ("/auth", 404), ("/auth/ntlm", 404), ("/redirect", 404), ("/redirect/302", 400),
            ("/redirect/304?to=/", 400), ("/redirect/x?to=/", 400), ("/redirect/302?to=", 400),
            ("/redirect/302?to=/a%0D%0AX:", 400),
            ("/redirect/302?to=/&cookie=a%3B", 400), ("/redirect/302?to=/&cookie=", 400),
        ])
    func refused(target: String, status: UInt) throws {
        let plan = try #require(Answer.make(try .make(target)).plan)
        #expect(plan.status.code == status)
    }

    @Test("takes a body to redirect, and no other method")
    func methods() throws {
        func status(_ target: String, _ method: HTTPMethod) throws -> HTTPResponseStatus {
            try #require(Answer.make(try .make(target, method: method)).plan).status
        }
        #expect(try status("/redirect/308?to=/sink", .PUT) == .permanentRedirect)
        #expect(try status("/redirect/308?to=/sink", .DELETE) == .methodNotAllowed)
        #expect(try status("/auth/basic", .POST) == .methodNotAllowed)
    }

    @Test("asks for credentials and takes the right ones", arguments: ["basic", "digest"])
    func credentials(scheme: String) async throws {
        try await withOrigin { origin in
            let url = "\(origin.baseURL)/auth/\(scheme)"
            let without = try await Curl.fetch(url)
            #expect(without.status == 401)
            #expect(without.header.lowercased().contains("www-authenticate: \(scheme) realm=\"fetchbench\""))
            let wrong = try await Curl.fetch("--\(scheme)", "-u", "nobody:password", url)
            #expect(wrong.status == 401)
            let right = try await Curl.fetch("--\(scheme)", "-u", "user:password", url)
            #expect(right.status == 200 && right.body.count == 1024)
        }
    }

    @Test("sets a cookie and sends the client on")
    func redirect() async throws {
        try await withOrigin { origin in
            let url = origin.baseURL + "/redirect/302?to=/bytes/1KiB&cookie=step"
            let answer = try await Curl.fetch("-L", "-b", "", url)
            #expect(answer.status == 200 && answer.body.count == 1024)
            #expect(origin.requests().map { $0.headers["cookie"] != nil } == [false, true])
        }
    }

    @Test("sends a body on")
    func body() async throws {
        try await withOrigin { origin in
            let url = origin.baseURL + "/redirect/307?to=/sink"
            let answer = try await Curl.fetch("-L", "-d", "abc", url)
            #expect(answer.status == 200)
            #expect(origin.requests().map(\.bytesReceived.rawValue) == [3, 3])
        }
    }
}
