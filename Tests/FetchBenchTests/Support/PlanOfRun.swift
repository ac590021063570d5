// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The plan of a stored run, all of it, to be compared with another one's.
struct PlanOfRun: Equatable {
    private let members: NSDictionary

    init(_ run: StoredRun) throws {
        let root = try JSONSerialization.jsonObject(with: Data(try run.text(of: "run.json").utf8)) as? [String: Any]
        guard let plan = root?["plan"] as? NSDictionary else { throw Obstacle("run.json has no plan") }
        members = plan
    }

    /// Its cases.
    var cases: [NSDictionary] { members["cases"] as? [NSDictionary] ?? [] }
    /// How its trials are done.
    var settings: NSDictionary? { members["settings"] as? NSDictionary }
    /// The texts of its commands, as they are stored.
    var commands: [String] { (members["commands"] as? [NSDictionary] ?? []).compactMap { $0["command"] as? String } }
    /// What orders its trials.
    var seed: Int? { members["seed"] as? Int }
}

extension Sandbox {
    /// Gives a printed command line to a shell that finds the binary, as a reader would.
    func shell(_ line: String, within seconds: Double = 60) async throws -> Ended {
        let folder = URL(fileURLWithPath: BuiltBinary.path).deletingLastPathComponent().path
        let path = "\(folder):\(environment["PATH"] ?? "/usr/bin:/bin")"
        return try await start(BuiltBinary.tool("sh"), ["-c", line], environment: ["PATH": path]).end(within: seconds)
    }

    /// The words that a shell makes of a command line, `fetchbench` left out, where the binary takes them all.
    func words(of line: String) async throws -> [String] {
        let function = "fetchbench() { \"$BINARY\" parse -- \"$@\" && printf '%s\\0' \"$@\"; }\n"
        let ended = try await start(
            BuiltBinary.tool("sh"), ["-c", function + line], environment: ["BINARY": BuiltBinary.path]
        ).end(within: 20)
        guard ended.status == 0 else { throw Obstacle("\(line): \(ended.complaint)") }
        return ended.output.split(separator: "\0", omittingEmptySubsequences: false).dropLast().map(String.init)
    }
}
