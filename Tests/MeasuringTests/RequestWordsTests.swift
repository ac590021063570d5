// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Judging
import Measuring
import Runs
import Testing

/// Options for requests to a foreign URL, and errors that do not repeat their values.
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
    func invalidHeadersAreRefusedWithoutTheirValue(text: String, reason: String) {
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
    func invalidMethodsAreRefused(text: String, reason: String) {
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

    @Test func quotedValuesAreRedacted() {
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

@Suite struct CommandFlagsTests {
    private static let open = RedactedCommand(folders: [:])
    private static let ofFetches = [
        "--asset", "--render", "--rate", "--verify", "--latency", "--view", "--max-connections", "--url", "--mode",
    ]

    private func request(_ change: (inout PlanWords) -> Void = { _ in }) throws -> PlanRequest {
        var words = PlanWords()
        words[.exec] = ["sort=sort --parallel={threads} 'a b'"]
        words[.parameters] = ["threads=1,2"]
        change(&words)
        return try PlanRequest(words, .fake)
    }

    private func reproduced(_ cell: String, of request: PlanRequest, _ plan: Plan) throws -> String {
        let finding = Finding(
            cell: cell, metric: "net_peak_growth_bytes", unit: .bytes, part: .command, verdict: .regressed)
        let findings = Reproduction.run(
            plan, commands: request.inputs(in: .fake("/tmp")).commands, redaction: Self.open
        )
        .added(to: [finding])
        return try #require(findings[0].reproduce)
    }

    @Test func theFlagsOfPlainCommandsAskForNothingElse() async throws {
        let request = try request()
        let line = PlanFlags(request, redaction: Self.open).command()
        #expect(
            line
                == #"fetchbench run --exec 'sort=sort --parallel={threads} '\''a b'\''' --parameter-list 'threads=1,2' "#
                + "--allocator glibc --trials 10 --seed 1 --timeout 60")
        let again = try PlanRequest(RepeatedWords(line).asked(), .fake)
        #expect(try await again.synthetic().plan == request.synthetic().plan)
    }

    @Test func theFlagsOfBothAskForBoth() async throws {
        let request = try request {
            $0[.modes] = ["data"]
            $0[.assets] = ["64KiB"]
            $0.settings["trials"] = "4"
            $0.settings["latency"] = "80ms"
            $0.settings["max-connections"] = "3"
        }
        let words = try RepeatedWords(PlanFlags(request, redaction: Self.open).command())
        let again = try PlanRequest(words.asked(), .fake)
        #expect(try await again.synthetic().plan == request.synthetic().plan)
    }

    @Test func oneCaseIsMeasuredByItself() async throws {
        let request = try request()
        let plan = try await request.synthetic().plan
        let line = try reproduced("sort/glibc/threads=2", of: request, plan)
        let words = try RepeatedWords(line)
        #expect(words.flags["--parameter-list"] == ["threads=2"] && words.flags["--trials"] == ["30"])
        #expect(Self.ofFetches.allSatisfy { words.flags[$0] == nil }, "\(line)")
        let again = try await PlanRequest(words.asked(), .fake).synthetic().plan
        #expect(again.cases.map(\.identifier) == ["sort/glibc/threads=2"] && again.commands == plan.commands)
    }

    /// Of a plan of both nothing comes along that only its fetches were told.
    @Test func oneCaseOfAPlanOfBothIsMeasuredByItself() async throws {
        let request = try request {
            $0[.modes] = ["data"]
            $0[.assets] = ["64KiB"]
            $0.settings["latency"] = "80ms"
            $0.settings["view"] = "100x100"
            $0.settings["max-connections"] = "3"
        }
        let plan = try await request.synthetic().plan
        let line = try reproduced("sort/glibc/threads=1", of: request, plan)
        let words = try RepeatedWords(line)
        #expect(Self.ofFetches.allSatisfy { words.flags[$0] == nil }, "\(line)")
        #expect(throws: Never.self) { try PlanRequest(words.asked(), .fake) }
        let fetched = try RepeatedWords(reproduced("64KiB/data/none/glibc", of: request, plan))
        #expect(fetched.flags["--exec"] == nil && fetched.flags["--parameter-list"] == nil)
        #expect(fetched.flags["--latency"] == ["80ms"] && fetched.flags["--asset"] == ["64KiB"])
    }

    @Test func execIsAskedForTheSameAgain() async throws {
        var asked = CommandsRequest(commands: ["sort {n} 'a b'", "LC_ALL=C sort x | wc", "it's \"quoted\" $HOME"])
        asked.shell = .always(["bash", "--norc"])
        asked.preparations = ["rm -f {n}", "true", "echo 'x y'"]
        asked.cleanups = ["sync"]
        let request = try PlanRequest.plain(asked) { words in
            words[.parameters] = [#"n=1,a\,b"#]
            words[.allocators] = ["glibc", "jemalloc"]
            words.settings["trials"] = "7"
            words.settings["seed"] = "9"
            words.settings["timeout"] = "30.5"
            words.settings["memory-limit"] = "4GiB"
            words.commandSettings.warmup = 2
            words.commandSettings.input = "/tmp/an input"
            words.commandSettings.limit = .mebibytes(200)
            words.commandSettings.reference = "LC_ALL=C sort x | wc"
            words.commandSettings.ignoresFailure = true
        }
        let line = PlanFlags(request, redaction: Self.open).execCommand()
        #expect(line.hasPrefix("fetchbench exec "))
        let words = try RepeatedWords(line)
        #expect(Self.ofFetches.allSatisfy { words.flags[$0] == nil } && words.flags["--name"] == nil, "\(line)")
        #expect(words.flags["--cleanup"] == ["sync"], "one for all is said once")
        #expect(try await words.plain().synthetic().plan == request.synthetic().plan)
    }

    @Test func execIsAskedForTheSameNamesAgain() async throws {
        for names in [[], ["first", "it's the second", "3"]] {
            var asked = CommandsRequest(commands: ["sort x", "sort x", "cut x"])
            asked.names = names
            asked.shell = .never
            let request = try PlanRequest.plain(asked)
            let line = PlanFlags(request, redaction: Self.open).execCommand()
            let words = try RepeatedWords(line)
            #expect(words.flags["--no-shell"] != nil && words.flags["--name"]?.count == 3, "\(line)")
            #expect(try await words.plain().synthetic().plan == request.synthetic().plan)
        }
    }

    @Test func execSaysNothingOfWhatIsUsual() throws {
        let request = try PlanRequest.plain(CommandsRequest(commands: ["sort x"]))
        let line = PlanFlags(request, redaction: Self.open).execCommand()
        #expect(line == "fetchbench exec 'sort x' --trials 10 --seed 1 --timeout 60")
    }

    @Test func noSecretIsPrinted() throws {
        var asked = CommandsRequest(commands: ["tool --password hunter2 {t}", "curl -u me:{t} x"])
        asked.preparations = ["login --token t0ken"]
        let request = try PlanRequest.plain(asked) { $0[.parameters] = ["t=s3cret,an0ther"] }
        for line in [
            PlanFlags(request, redaction: Self.open).execCommand(), PlanFlags(request, redaction: Self.open).command(),
        ] {
            for secret in ["hunter2", "t0ken", "s3cret", "an0ther"] { #expect(!line.contains(secret), "\(line)") }
            #expect(line.contains("REDACTED"))
        }
    }
}
