// SPDX-License-Identifier: Apache-2.0

/// What a process of the harness is started for: a program, where and how it runs, what it is asked, and its limits.
package struct ProcessOrder: Sendable {
    /// The path of the program.
    package var program: String
    /// What it sees as its own name: the same for all that is measured, because its length is part of what is resident;
    /// its path where nothing is said.
    package var name: String? = "trial"
    /// Its arguments.
    package var arguments: [String]
    /// Its whole environment.
    package var environment: [String: String]
    /// The folder in which it works; that of the harness where nothing is said.
    package var directory: String?
    /// What it reads from standard input; nothing where nothing is said.
    package var document: String?
    /// How many bytes its answer may have; a real one has a few kilobytes.
    package var outputLimit: Int
    /// After how long it is killed.
    package var limit: Duration
    /// The mark of the answer, where the program stays for the next order of its kind: it reads a document a line, and
    /// answers each by a line (``CommandRequest/answer(_:isLast:)``).
    var mark: String?

    /// Creates an order.
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
