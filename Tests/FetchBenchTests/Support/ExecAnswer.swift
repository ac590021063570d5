// SPDX-License-Identifier: Apache-2.0

/// The output of `fetchbench exec --format commands`, decoded independently.
struct ExecAnswer: Decodable {
    struct Command: Decodable {
        var name: String
        var command: String
        var redacted: Bool
        var shell: String?
        var parameters: [String: String]
        var runs: Int
        var failure: String?
        var trials: [Trial]
    }

    struct Comparison: Decodable {
        var command: String
        var verdict: String
    }

    struct Trial: Decodable {
        struct Outcome: Decodable {
            var kind: String
            var detail: String
        }

        struct Process: Decodable {
            var name: String
            var count: Int
            var peakResidentBytes: Int
        }

        var trial: Int
        var outcome: Outcome
        var exitStatus: Int?
        var signal: Int?
        var method: String?
        var figures: [String: Double]
        var processes: [Process]
        var outlived: [String]

        var peak: Int { figure("peak_resident_bytes") }
        var sumOfPeaks: Int { figure("sum_of_peaks_bytes") }
        var processCount: Int { figure("processes") }

        private func figure(_ name: String) -> Int { figures[name].map(Int.init) ?? -1 }
    }

    var commands: [Command]
    var comparisons: [Comparison]
    var overLimit: [String]
    var warnings: [String]

    init(_ text: String) throws { try self.init(json: text) }

    var trials: [Trial] { commands.flatMap(\.trials) }

    func runs(of name: String) -> [Trial] { commands.filter { $0.name == name }.flatMap(\.trials) }
}
