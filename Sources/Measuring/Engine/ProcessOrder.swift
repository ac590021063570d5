// SPDX-License-Identifier: Apache-2.0

/// A program to start, with its environment, input and limits.
package struct ProcessOrder: Sendable {
    package var program: String
    /// Its `argv[0]`: always the same, because its length is part of resident memory; `nil` for the path.
    package var name: String? = "trial"
    package var arguments: [String]
    package var environment: [String: String]
    /// The working folder; that of the harness by default.
    package var directory: String?
    /// Its standard input; `nil` for none.
    package var document: String?
    /// The maximum size of its answer in bytes; a real one has a few kilobytes.
    package var outputLimit: Int
    package var limit: Duration
    /// The mark of the answer of a program that stays: it reads documents and answers each by lines
    /// (``CommandRequest/answer(_:isLast:)``).
    var mark: String?

    package init(
        program: String, arguments: [String] = [], environment: [String: String], directory: String? = nil,
        document: String? = nil, outputLimit: Int = 4 << 20, limit: Duration
    ) {
        self.program = program
        self.arguments = arguments
        self.environment = environment
        self.directory = directory
        self.document = document
        self.outputLimit = outputLimit
        self.limit = limit
    }
}
