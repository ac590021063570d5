// SPDX-License-Identifier: Apache-2.0

import Runs
import Statistics
import TrialKit

struct FigureDocument: Encodable {
    let unit: String
    let median: Double
    let minimum: Double
    let maximum: Double
    let medianAbsoluteDeviation: Double

    init(_ unit: Metric.Unit, _ values: Distribution) {
        self.init(unit: unit.rawValue, values)
    }

    init(unit: String, _ values: Distribution) {
        self.unit = unit
        median = values.median
        minimum = values.minimum
        maximum = values.maximum
        medianAbsoluteDeviation = values.medianAbsoluteDeviation
    }

    private enum CodingKeys: String, CodingKey {
        case unit, median
        case minimum = "min"
        case maximum = "max"
        case medianAbsoluteDeviation = "mad"
    }
}
