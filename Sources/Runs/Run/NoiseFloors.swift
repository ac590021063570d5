// SPDX-License-Identifier: Apache-2.0

/// How far two measurements of one build lie apart on a machine.
///
/// It is the standard error of the change, by case and metric, in the unit of the metric. `calibrate` measures it.
package struct NoiseFloors: Codable, Hashable, Sendable {
    /// The floors, by case and by metric.
    package private(set) var values: [String: [String: Double]] = [:]

    /// The metrics that have one somewhere.
    package var metrics: Set<String> { Set(values.values.flatMap(\.keys)) }

    /// Creates an empty set: of an unknown floor nothing follows.
    package init() {}

    /// The floor of a metric of a case, or `nil` where it is not known.
    package subscript(cell: String, metric: String) -> Double? {
        get { values[cell]?[metric] }
        set { values[cell, default: [:]][metric] = newValue }
    }
}
