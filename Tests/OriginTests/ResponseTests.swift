// SPDX-License-Identifier: Apache-2.0

import NIOHTTP1
import Origin
import Runs
import Testing

@Suite("The response to a request for bytes")
struct ResponseTests {
    private let target = "/bytes/1000?seed=1"

    private func plan(_ headers: HTTPHeaders = [:], method: HTTPMethod = .GET) throws -> ResponsePlan {
        try #require(Answer.make(try .make(target, method: method, headers: headers)).plan)
    }

    private func tag() throws -> String {
        try #require(try plan().headers.first(name: "ETag"))
    }

    @Test("is whole unless a part is asked for")
    func whole() throws {
        let plan = try plan()
        #expect(plan.status == .ok)
        #expect(plan.headers["Content-Length"] == ["1000"])
        #expect(plan.headers["Accept-Ranges"] == ["bytes"])
        #expect(plan.headers["Content-Type"] == ["application/octet-stream"])
        #expect(plan.content?.range == 0..<1000)
        #expect(plan.rate == .standard)
    }

    @Test("is the part that is asked for")
    func part() throws {
        let plan = try plan(["Range": "bytes=100-199"])
        #expect(plan.status == .partialContent)
        #expect(plan.headers["Content-Range"] == ["bytes 100-199/1000"])
        #expect(plan.headers["Content-Length"] == ["100"])
        let whole = try self.plan().bytes()
        #expect(try plan.bytes() == Array(whole[100..<200]))
    }

    @Test("is 416 beyond the end")
    func unsatisfiable() throws {
        let plan = try plan(["Range": "bytes=1000-"])
        #expect(plan.status == .rangeNotSatisfiable)
        #expect(plan.headers["Content-Range"] == ["bytes */1000"])
    }

    @Test("is whole where the range is no range or not alone", arguments: ["bytes=0-1,4-5", "lines=1-2", "bytes=5-1"])
    func ignoredRange(value: String) throws {
        #expect(try plan(["Range": value]).status == .ok)
        #expect(try plan(HTTPHeaders([("Range", "bytes=0-1"), ("Range", "bytes=2-3")])).status == .ok)
    }

    @Test("has no part for HEAD")
    func head() throws {
        let plan = try plan(["Range": "bytes=0-9"], method: .HEAD)
        #expect(plan.status == .ok)
        #expect(plan.headers["Content-Length"] == ["1000"])
    }

    @Test("is 304 for whoever has it")
    func notModified() throws {
        let tag = try tag()
        for value in [tag, "*", "\"x\", \(tag)", "W/\(tag)"] {
            let plan = try plan(["If-None-Match": value])
            #expect(plan.status == .notModified)
            #expect(plan.content == nil)
            #expect(plan.headers["ETag"] == [tag])
        }
        #expect(try plan(["If-None-Match": "\"x\""]).status == .ok)
    }

    @Test("is a part only of what the client already has")
    func ifRange() throws {
        let tag = try tag()
        #expect(try plan(["Range": "bytes=0-9", "If-Range": tag]).status == .partialContent)
        for value in ["\"x\"", "W/\(tag)", "Wed, 21 Oct 2015 07:28:00 GMT"] {
            let plan = try plan(["Range": "bytes=0-9", "If-Range": value])
            #expect(plan.status == .ok)
            #expect(plan.content?.range == 0..<1000)
        }
    }

    @Test("has another tag for other bytes")
    func tags() throws {
        let tags = try ["/bytes/1000?seed=1", "/bytes/1000?seed=2", "/bytes/1001?seed=1"].map { target in
            let request = try OriginRequest.make(target)
            return try #require(Answer.make(request).plan?.headers.first(name: "ETag"))
        }
        #expect(Set(tags).count == 3)
        #expect(tags.allSatisfy { $0.hasPrefix("\"") && $0.hasSuffix("\"") && $0.count > 2 })
    }
}

@Suite("The bomb image")
struct BombImageTests {
    @Test("is a small file whose segments are in order and whose frame claims 20000×20000")
    func segments() throws {
        let bytes = BombImage.bytes
        #expect(bytes.count == BombImage.byteCount)
        #expect(bytes.prefix(2) == [0xFF, 0xD8])
        #expect(bytes.suffix(2) == [0xFF, 0xD9])
        var markers: [UInt8] = []
        var offset = 2
        while markers.last != 0xDA {
            try #require(bytes[offset] == 0xFF)
            markers.append(bytes[offset + 1])
            if bytes[offset + 1] == 0xC2 {
                let sides = bytes[offset + 5..<offset + 9]
                #expect(Array(sides) == [0x4E, 0x20, 0x4E, 0x20], "20000 is 0x4E20")
            }
            offset += 2 + Int(bytes[offset + 2]) << 8 + Int(bytes[offset + 3])
        }
        #expect(markers == [0xE0, 0xDB, 0xC2, 0xC4, 0xDA])
    }
}
