// SPDX-License-Identifier: Apache-2.0

import Foundation
import NIOHTTP1
import Origin
import OriginTLS
import Runs
import Testing

struct Curl {
    var exitStatus: Int
    /// The status of the last response, 0 where there was none.
    var status: Int
    var header: String
    var body: Data
    var seconds: Double

    func sha256() throws -> String { try MemoryBytes(Array(body)).sha256() }

    func has(_ name: String, _ value: String) -> Bool {
        header.split(separator: "\r\n").contains { $0.lowercased() == "\(name): \(value)".lowercased() }
    }

    /// Fetches with `curl`, which reads no configuration and no proxy of its user.
    ///
    /// The body is kept of the first URL alone; every further one needs an `-o` of its own.
    static func fetch(_ arguments: String...) async throws -> Curl {
        try await fetch(arguments)
    }

    /// The same, with arguments that a test has put together.
    static func fetch(_ arguments: [String]) async throws -> Curl {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("curl-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let body = folder.appendingPathComponent("body")
        let header = folder.appendingPathComponent("header")
        let (exitStatus, report) = try await run(
            "curl",
            ["-q", "-s", "--noproxy", "*", "-m", "30", "-o", body.path, "-D", header.path]
                + ["-w", "%{http_code} %{time_total}\n"] + arguments)
        // A line a transfer: with several URLs the answer is that of the first one.
        let words = try #require(report.split(separator: "\n").first).split(separator: " ")
        try #require(words.count == 2)
        return Curl(
            exitStatus: exitStatus, status: Int(words[0]) ?? 0,
            header: String(decoding: (try? Data(contentsOf: header)) ?? Data(), as: UTF8.self),
            body: (try? Data(contentsOf: body)) ?? Data(), seconds: Double(words[1]) ?? 0)
    }

    /// Runs any program to its end, without anything to read, and returns its exit status.
    static func tool(_ name: String, _ arguments: [String]) async throws -> Int {
        try await run(name, arguments).status
    }

    private static func run(_ name: String, _ arguments: [String]) async throws -> (status: Int, output: String) {
        let environment = ProcessInfo.processInfo.environment
        let path = try ExecutableSearch.path(of: name, environment: environment.map { "\($0.key)=\($0.value)" })
        let end = try await ChildLaunch(
            executable: path, arguments: arguments, environment: environment, limit: .seconds(60), outputLimit: 1 << 20
        ).run()
        guard case .exited(let status) = end.ending else { throw NotEnded(name: name, ending: end.ending) }
        return (status, String(decoding: end.output, as: UTF8.self))
    }

    private struct NotEnded: Error {
        let name: String
        let ending: Ending
    }
}

/// Starts an origin, lets a test use it and stops it.
func withOrigin(
    rate: TransferRate = .unlimited, _ folder: TestLibrary = TestLibrary(), offersTLS: Bool = false,
    offersHTTP2: Bool = false,
    _ body: (OriginServer) async throws -> Void
) async throws {
    var configuration = OriginConfiguration(rate: rate, library: folder.library())
    if offersTLS || offersHTTP2 { configuration.security = try .made(offeringHTTP2: offersHTTP2) }
    let origin = try await OriginServer.start(configuration)
    do {
        try await body(origin)
    } catch {
        try await origin.stop()
        throw error
    }
    try await origin.stop()
}

/// Waits until a condition holds, for so long that no busy machine is taken for a broken one.
func eventually(_ condition: () -> Bool) async throws -> Bool {
    let end = ContinuousClock.now + .seconds(20)
    while ContinuousClock.now < end {
        if condition() { return true }
        try await Task.sleep(for: .milliseconds(10))
    }
    return condition()
}

extension OriginRequest {
    /// A request as it would arrive.
    static func make(
        _ target: String, method: HTTPMethod = .GET, version: HTTPVersion = .http1_1, headers: HTTPHeaders = [:]
    ) throws -> OriginRequest {
        try #require(OriginRequest(HTTPRequestHead(version: version, method: method, uri: target, headers: headers)))
    }
}

extension Answer {
    /// The answer to a request, at 60 MiB a second, without an image.
    static func make(_ request: OriginRequest, _ ledger: Ledger = Ledger()) -> Answer {
        do throws(Refusal) {
            return Answer(to: request, try Route(request), standard: .standard, stored: nil, ledger: ledger)
        } catch {
            return .refusal(error)
        }
    }

    var plan: ResponsePlan? {
        guard case .response(let plan) = self else { return nil }
        return plan
    }
}

extension ResponsePlan {
    func bytes() throws -> [UInt8] {
        guard let content else { return [] }
        var bytes = [UInt8](repeating: 0, count: content.range.count)
        try bytes.withUnsafeMutableBytes { try content.source.read(into: $0, at: content.range.lowerBound) }
        return bytes
    }
}
