// SPDX-License-Identifier: Apache-2.0

import Runs
import Texts
import TrialKit

/// A family of gauges in OpenMetrics text.
struct OpenMetricsFamily: Sendable {
    private let name: String
    private let unit: String?
    private let help: String
    private let factor: Double
    private var samples: [String] = []
    private var known: Set<String> = []

    /// Creates a family whose name ends with its unit, if any, as the specification requires.
    init(_ word: String, _ unit: Metric.Unit?, _ help: String) {
        let (suffix, factor): (String?, Double) =
            switch unit {
            case .bytes: ("bytes", 1)
            case .nanoseconds: ("seconds", 1e-9)
            case .ratio: ("ratio", 1)
            case nil: (nil, 1)
            }
        name = "fetchbench_" + word + (suffix.map { "_" + $0 } ?? "")
        self.unit = suffix
        self.help = help
        self.factor = factor
    }

    /// Adds a sample unless the value is absent or there is already a sample with the same labels.
    mutating func add(_ value: Double?, _ labels: [(name: String, value: String)]) {
        guard let value else { return }
        let text = labels.map { "\($0.name)=\"\(Self.escaped($0.value))\"" }.joined(separator: ",")
        guard known.insert(text).inserted else { return }
        samples.append("\(name){\(text)} \(value * factor)\n")
    }

    var text: String {
        guard !samples.isEmpty else { return "" }
        let unit = unit.map { "# UNIT \(name) \($0)\n" } ?? ""
        return "# TYPE \(name) gauge\n\(unit)# HELP \(name) \(help)\n" + samples.joined()
    }

    /// Applies the three escapes of the format, and makes other control characters visible.
    private static func escaped(_ text: String) -> String {
        let lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
        return lines.map { line in
            SafeText.forTerminal(String(line)).unicodeScalars.reduce(into: "") { safe, scalar in
                if scalar == "\\" || scalar == "\"" { safe += "\\" }
                safe.unicodeScalars.append(scalar)
            }
        }.joined(separator: "\\n")
    }
}
