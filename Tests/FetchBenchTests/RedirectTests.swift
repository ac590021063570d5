// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Testing

extension EndToEnd {
    /// A URL's user and password stay with its origin: two real origins, the first of which redirects to the second.
    @Suite struct Redirects {
        private static let modes = [
            "data", "data-async", "data-delegate", "download", "download-delegate", "stream", "taskgroup-data",
            "publisher-data", "publisher-download", "ahc-stream", "ahc-file", "curl-stream", "sync-data",
        ]

        /// Answers that keep the requests.
        private final class Journal: Sendable {
            private let requests = Mutex<[String]>([])
            var all: [String] { requests.withLock { $0 } }
            func note(_ request: String) { requests.withLock { $0.append(request) } }
        }

        private func response(_ status: String, to request: String, _ fields: String = "") -> [UInt8] {
            let body = request.hasPrefix("HEAD ") ? "" : "body"
            return Array("HTTP/1.1 \(status)\r\n\(fields)Content-Length: 4\r\nConnection: close\r\n\r\n\(body)".utf8)
        }

        @Test(arguments: ["//127.0.0.1:PORT/x", "http://127.0.0.1:PORT/x"])
        func nobodyElseGetsThem(location: String) async throws {
            let sandbox = try Sandbox("redirects")
            let (here, elsewhere) = (Journal(), Journal())
            let other = try SocketServer { request in
                elsewhere.note(request)
                return response("200 OK", to: request)
            }
            let away = location.replacing("PORT", with: "\(other.port)")
            let origin = try SocketServer { request in
                here.note(request)
                return response("302 Found", to: request, "Location: \(away)\r\n")
            }
            let ended = try await sandbox.fetchbench(
                "run", "--url", "http://user:open%20sesame@127.0.0.1:\(origin.port)/a", "--mode",
                Self.modes.joined(separator: ","), "--render", "none", "--allocator", "glibc", "--trials", "1",
                within: 150)
            // Of `user:open sesame`.
            let field = "dXNlcjpvcGVuIHNlc2FtZQ=="
            #expect(here.all.count >= Self.modes.count - 1, "\(ended.complaint)")
            #expect(here.all.allSatisfy { $0.contains(field) }, "\(here.all)")
            #expect(elsewhere.all.count >= Self.modes.count - 1, "\(ended.complaint)")
            for request in elsewhere.all {
                #expect(!request.lowercased().contains("authorization:") && !request.contains("sesame"), "\(request)")
            }
            let rows = try sandbox.onlyRun().rows(ofMode: "sync-data")
            #expect(rows.map { $0["outcome"] } == ["failed"], "it cannot keep them, and says so")
            for mode in Self.modes.dropLast() {
                let outcomes = try sandbox.onlyRun().rows(ofMode: mode).map { $0["outcome"] }
                #expect(outcomes == ["completed"], "\(mode): \(ended.complaint)")
            }
        }
    }
}
