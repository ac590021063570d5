// SPDX-License-Identifier: Apache-2.0

package enum Attempt: Hashable, Sendable {
    /// A probe of ``ProbeCatalog`` makes the calls in a child process.
    case probe(String)
    /// The compiler checks a program that uses the API: a missing API cannot be run.
    case snippet(Snippet)
}

/// A program that compiles if an API exists.
package struct Snippet: Hashable, Sendable {
    /// The API's name in the compiler's errors.
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
