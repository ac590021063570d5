// SPDX-License-Identifier: Apache-2.0

/// The standard error of the change between two measurements of one build, in the unit of each metric.
///
/// `calibrate` measures it.
package struct NoiseFloors: Codable, Hashable, Sendable {
    /// The floors, by case and metric.
    package private(set) var values: [String: [String: Double]] = [:]

    /// The metrics that have a floor in any case.
    package var metrics: Set<String> { Set(values.values.flatMap(\.keys)) }

    package init() {}

    package subscript(cell: String, metric: String) -> Double? {
        get { values[cell]?[metric] }
        set { values[cell, default: [:]][metric] = newValue }
    }
}
