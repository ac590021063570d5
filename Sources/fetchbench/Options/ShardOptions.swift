// SPDX-License-Identifier: Apache-2.0

import CommandConsole

/// The flag of commands that can measure a part of a plan.
struct ShardOptions: ParsableArguments {
    @Option(
        name: .customLong("shard"),
        help: ArgumentHelp("Part of the plan: 3/8, auto, auto/8 (default: all).", valueName: "part"))
    var text: String?

    var shard: Shard? {
        get throws {
            guard let text else { return nil }
            return try Shard(parsing: text, environment: HarnessContext.here.environment)
        }
    }

    /// Begins the measurement, or ends with the status by which an engine tries a part again.
    func began<Value>(_ work: () async throws -> Value) async throws -> Value {
        do {
            return try await work()
        } catch {
            guard let status = ExitCode.ofShard(stoppedBy: error, isShard: text != nil) else { throw error }
            Console.complain("\(error)")
            throw status
        }
    }

    /// Checks the part before anything is prepared.
    func check() throws { _ = try Usage.checked { try shard } }
}
