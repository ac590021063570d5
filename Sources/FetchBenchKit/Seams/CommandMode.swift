// SPDX-License-Identifier: Apache-2.0

/// A command in the place of a mode: plans treat both alike, only the trial's process does something else.
public struct CommandMode: FetchMode {
    /// The command.
    public let command: ExternalCommand

    /// Creates the mode of a command.
    public init(_ command: ExternalCommand) {
        self.command = command
    }

    /// The name that the command was given.
    public var name: String { command.name }
    /// The command itself.
    public var summary: String { command.command }
    /// What its figures count.
    public var caveat: String? { "the whole process and its children, from exec to exit" }
    /// Whatever the command can.
    public var schemes: Set<String> { ["http", "https"] }
    /// What it fetched is gone with its process.
    public var yieldsBody: Bool { false }

    /// Refuses: a command is traced, not called.
    public func makeFetcher(_ settings: FetchSettings) throws(FetchFailure) -> any Fetcher {
        throw FetchFailure(.other, "a command has no fetcher in the trial's process")
    }
}
