// SPDX-License-Identifier: Apache-2.0

import Foundation

struct Reference: Decodable {
    let comparisons: [Comparison]
    let exactTails: [ExactTail]
    let bootstraps: [BootstrapInterval]
    let holms: [Holm]
    let lines: [Line]
    let stepSeries: [StepSeries]
    let normalTails: [NormalTail]
    let quantiles: [Quantile]
    let permutations: [Permutation]
    let strata: [Strata]
    let randomEffects: [RandomEffects]
    let studentTails: [StudentTail]

    static func load() throws -> Reference {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("reference.json")
        return try JSONDecoder().decode(Reference.self, from: Data(contentsOf: file))
    }

    struct Comparison: Decodable {
        let name: String
        let base, head: [Double]
        let hasTies: Bool
        let u, greater, less, twoSided, shift: Double
    }

    /// Two small samples with ties, and scipy's permutation test of their midrank sum.
    struct Permutation: Decodable {
        let base, head: [Double]
        let greater, less, twoSided: Double

        init(from decoder: any Decoder) throws {
            var entries = try decoder.unkeyedContainer()
            func numbers(_ text: String) -> [Double] { text.split(separator: " ").compactMap { Double($0) } }
            base = numbers(try entries.decode(String.self))
            head = numbers(try entries.decode(String.self))
            greater = try entries.decode(Double.self)
            less = try entries.decode(Double.self)
            twoSided = try entries.decode(Double.self)
        }
    }

    /// The sides of several hosts, and all splits within each counted in fractions.
    struct Strata: Decodable {
        let base, head: [[Double]]
        let greater, less, twoSided, shift: Double
    }

    struct RandomEffects: Decodable {
        let changes, variances: [Double]
        let confidence, mean, low, high, deviation: Double
    }

    struct StudentTail: Decodable {
        let freedom: Int
        let t, tail: Double
    }

    struct ExactTail: Decodable {
        let first, second, u: Int
        let p: Double
    }

    struct BootstrapInterval: Decodable {
        let base, head: [Double]
        let seed: UInt64
        let confidence: Double
        let resamples: Int
        let low, high: Double
        let scipyLow, scipyHigh: Double?
    }

    struct Holm: Decodable {
        let values, adjusted: [Double]
    }

    struct Line: Decodable {
        let x, y: [Double]
        let confidence, slope, intercept, low, high: Double
    }

    struct StepSeries: Decodable {
        let series: [Double]
        let indices: [Int]
        let levels: [Double]
    }

    struct NormalTail: Decodable {
        let z, tail: Double
    }

    struct Quantile: Decodable {
        let values: [Double]
        let probability, quantile: Double
    }
}

/// Whether two numbers agree up to a fraction of the larger one.
func agree(_ found: Double, _ expected: Double, within tolerance: Double) -> Bool {
    abs(found - expected) <= tolerance * max(abs(found), abs(expected))
}
