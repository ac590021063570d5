// SPDX-License-Identifier: Apache-2.0

import MemProbe
import Runs
import Texts
import TrialKit

/// Renders costs as JSON: the median and spread of each figure, and the loaded libraries of each program.
enum CostJSONRenderer {
    static func text(of table: CostTable) -> String {
        JSONText.pretty(
            Document(
                tool: table.tool, measuredAt: table.measuredAt, trials: table.trials, seed: table.seed,
                environment: table.environment, programs: table.rows.map(Program.init), warnings: table.doubts))
    }
}

private struct Document: Encodable {
    var schema = 1
    let tool: String
    let measuredAt: String
    let trials: Int
    let seed: UInt64
    let environment: MachineEnvironment
    let programs: [Program]
    let warnings: [String]

    private enum CodingKeys: String, CodingKey {
        case schema, tool, trials, seed, environment, programs, warnings
        case measuredAt = "measured_at"
    }
}

private struct Program: Encodable {
    let name: String
    let linkage: CostLinkage
    let mode: String?
    let trials: Int
    let failure: String?
    let binary: ByteCount?
    let figures: [String: FigureDocument]
    /// The file names of the libraries that are loaded after the first 1 KiB, without their folders.
    let libraries: [String]?

    init(_ row: CostRow) {
        name = row.name
        linkage = row.linkage
        mode = row.mode
        trials = row.trials.count
        failure = row.failure?.reason
        binary = row.binary
        figures = CostFigure.all.reduce(into: [:]) { figures, figure in
            figures[figure.name] = row.values(of: figure).map { FigureDocument(unit: figure.unit.rawValue, $0) }
        }
        libraries = row.trials.last?.fetched.inventory.libraries.map { libraries in
            libraries.map { PathText.name(of: $0.path) }.sorted()
        }
    }

    private enum CodingKeys: String, CodingKey {
        case name, linkage, mode, trials, failure, figures, libraries
        case binary = "binary_bytes"
    }
}
