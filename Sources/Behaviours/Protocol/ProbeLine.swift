// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A line from a probe to the harness: `{"fact":"error","value":"-999"}` or `{"mark":"after","settles":true}`.
package enum ProbeLine: Hashable {
    case fact(Fact)
    /// A point at which the child waits for one byte while kernel and origin are read.
    case mark(String, settles: Bool)

    private struct Form: Codable {
        var fact: String?
        var value: String?
        var mark: String?
        var settles: Bool?
    }

    /// Parses a line; returns `nil` for any other, because the API under test may print, too.
    package init?(parsing text: String) {
        guard let form = try? JSONDecoder().decode(Form.self, from: Data(text.utf8)) else { return nil }
        if let name = form.fact, let value = form.value {
            self = .fact(Fact(name, value))
        } else if let name = form.mark {
            self = .mark(name, settles: form.settles ?? false)
        } else {
            return nil
        }
    }

    package var text: String {
        let form =
            switch self {
            case .fact(let fact): Form(fact: fact.name, value: fact.value)
            case .mark(let name, let settles): Form(mark: name, settles: settles)
            }
        let json = (try? JSONEncoder().encode(form)).map { String(decoding: $0, as: UTF8.self) }
        return (json ?? "{}") + "\n"
    }

    /// The libraries that the probes' program has loaded, which may differ from those it was built with.
    package struct LibraryFacts: Codable, Hashable, Sendable {
        /// The result of `curl_version`: `libcurl/8.5.0 OpenSSL/3.0.13 zlib/1.3 …`.
        package var libcurl: String?
        /// The platform that the toolchain's URLSession was built on: `Ubuntu 11.4.0-1ubuntu1~22.04.2`; `nil` if unknown.
        package var platform: String?

        package init(libcurl: String?, platform: String?) {
            (self.libcurl, self.platform) = (libcurl, platform)
        }
    }
}

/// A report of the child process, such as the error that the caller got.
package struct Fact: Codable, Hashable, Sendable {
    package var name: String
    package var value: String

    package init(_ name: String, _ value: String) {
        (self.name, self.value) = (name, value)
    }
}

package enum LeakRounds {
    /// The rounds, each of which is compared with the one before.
    package static let count = 3
    package static let requests = 1000
    /// The requests before the rounds: what they leave behind is allocated once by the library.
    package static let warmUp = 300
}

/// The waits and the answers whose costs are probed.
package enum CostProbe {
    /// A way to wait for bytes that do not come yet.
    package enum Round: String, CaseIterable, Sendable {
        /// For an answer whose bytes come slowly, on a connection that it opens.
        case newConnection = "new-connection"
        /// For an answer that begins late, on a connection that it opens.
        case firstByte = "first-byte"
        /// For an answer that begins late, on a connection that an earlier request has opened.
        case keptConnection = "kept-connection"
        /// For four answers at once that begin late, of which one finds a connection.
        case concurrent
        /// For an answer to 8 MiB that were sent on a connection that an earlier request has opened.
        case upload
    }

    /// The MiB of a redirect's own body, as it is asked for in turn.
    package static let redirects = [2, 4, 8]
    package static let fields = [2000, 4000, 8000]
    /// The bytes in each chunk of a body of 1 MiB: large ones first, as the high-water mark never falls.
    package static let chunks = [65_536, 16]

    /// How often an answer of a size is asked for: as often as it takes to the largest, so that times can be told apart.
    package static func count(of size: Int, among sizes: [Int]) -> Int {
        sizes == chunks ? 1 : (sizes.max() ?? size) / size
    }
}

/// A form of URL, by the part that a client has to parse.
package enum URLForm: String, CaseIterable {
    case path, query, fragment, user

    /// Returns the URL of a body of 1 KiB in this form.
    package func text(origin: String) -> String {
        let body = "/bytes/1KiB"
        return switch self {
        case .path: origin + body
        case .query: origin + body + "?seed=1"
        case .fragment: origin + body + "#part"
        case .user: origin.replacing("://", with: "://user:password@", maxReplacements: 1) + body
        }
    }
}
