// SPDX-License-Identifier: Apache-2.0

import Origin
import Testing

@Suite("An origin's address")
struct OriginConfigurationTests {
    private func configuration(_ host: String, port: Int = 0) -> OriginConfiguration {
        OriginConfiguration(host: host, port: port, library: AssetLibrary(cacheDirectory: "."))
    }

    @Test("is one of this machine alone", arguments: ["127.0.0.1", "127.5.6.7", "::1", "localhost"])
    func loopback(host: String) throws {
        #expect(try configuration(host).bindAddress() == (host == "localhost" ? "127.0.0.1" : host))
    }

    @Test(
        "is refused where other machines could reach it",
        arguments: ["0.0.0.0", "::", "192.168.1.1", "127.0.0.1.example.org", "127.1", "128.0.0.1", "example.org", ""])
    func refused(host: String) throws {
        let error = #expect(throws: AssetError.self) { try configuration(host).bindAddress() }
        #expect(error?.code == .address)
        var allowed = configuration(host)
        allowed.allowNonLoopback = true
        #expect(try allowed.bindAddress() == host)
    }

    @Test("has a port that exists", arguments: [-1, 65_536])
    func ports(port: Int) {
        #expect(throws: AssetError.self) { try configuration("127.0.0.1", port: port).bindAddress() }
    }

    @Test("is taken only once")
    func taken() async throws {
        let first = try await OriginServer.start(configuration("127.0.0.1"))
        let error = await #expect(throws: AssetError.self) {
            try await OriginServer.start(configuration("127.0.0.1", port: first.port))
        }
        #expect(error?.code == .network)
        #expect(error?.errno != nil)
        try await first.stop()
        try await first.stop()
    }

    @Test("is free again when the origin has stopped")
    func given() async throws {
        // Another test may be given the port in between, but hardly every time.
        var second: OriginServer?
        for _ in 0..<5 where second == nil {
            let first = try await OriginServer.start(configuration("127.0.0.1"))
            try await first.stop()
            second = try? await OriginServer.start(configuration("127.0.0.1", port: first.port))
            #expect(second.map { $0.port == first.port } ?? true)
        }
        try await #require(second).stop()
    }
}
