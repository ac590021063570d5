// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The JSON of `fetchbench exec`, as somebody else reads it.
struct ExecAnswer: Decodable {
    struct Command: Decodable {
        var name: String
        var command: String
        var redacted: Bool
        var shell: String?
        var parameters: [String: String]
        var runs: Int
        var failure: String?
    }

    struct Comparison: Decodable {
        var command: String
        var verdict: String
    }

    struct Trial: Decodable {
        struct Outcome: Decodable {
            var kind: String
            var detail: String
            var exitStatus: Int?
            var signal: Int?
        }

        struct Measurement: Decodable {
            struct Peak: Decodable {
                var residentBytes: Int
                var errorBoundBytes: Int
            }

            struct Process: Decodable {
                var name: String
                var count: Int
                var peakResidentBytes: Int
            }

            var peak: Peak
            var sumOfPeaksBytes: Int
            var processCount: Int
            var method: String
            var processes: [Process]
            var outlived: [String]
        }

        var trial: Int
        var command: String
        var warmup: Bool
        var outcome: Outcome
        var measurement: Measurement?
    }

    var finishedAt: String?
    var commands: [Command]
    var comparisons: [Comparison]
    var overLimit: [String]
    var warnings: [String]
    var trials: [Trial]

    init(_ text: String) throws {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        self = try decoder.decode(ExecAnswer.self, from: Data(text.utf8))
    }

    /// The runs of a command that were measured.
    func runs(of name: String) -> [Trial] { trials.filter { $0.command == name && !$0.warmup } }

    /// The peaks of a command, in bytes.
    func peaks(of name: String) -> [Int] { runs(of: name).compactMap { $0.measurement?.peak.residentBytes } }
}
