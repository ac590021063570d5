// SPDX-License-Identifier: Apache-2.0

package enum Attempt: Hashable, Sendable {
    /// A probe of ``ProbeCatalog`` does the calls in a child process.
    case probe(String)
    /// The compiler is given a program that uses the API: what is not there cannot be run.
    case snippet(Snippet)
}

/// A program that compiles where an API exists.
package struct Snippet: Hashable, Sendable {
    /// The name by which the compiler complains about the API.
    package var symbol: String
    package var body: String

    package var source: String {
        """
        import Foundation
        #if canImport(FoundationNetworking)
        import FoundationNetworking
        #endif
        func use(session: URLSession, url: URL) async throws {
            \(body)
        }

        """
    }
}
