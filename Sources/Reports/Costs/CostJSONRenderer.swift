// SPDX-License-Identifier: Apache-2.0

import MemProbe
import Runs
import Texts
import TrialKit

/// Renders costs as JSON: the median and spread of each figure, and the loaded libraries of each program.
enum CostJSONRenderer {
    static func text(of table: CostTable) -> String {
        let document: JSONValue = [
            "schema": 1, "tool": .text(table.tool), "measured_at": .text(table.measuredAt),
            "trials": .whole(table.trials), "seed": .coded(table.seed), "environment": .coded(table.environment),
            "programs": .list(table.rows.map(value)), "warnings": .list(table.doubts.map(JSONValue.text)),
        ]
        return JSONText.pretty(document)
    }

    private static func value(of row: CostRow) -> JSONValue {
        // The libraries that are loaded after the first 1 KiB, without their folders.
        let libraries = row.trials.last?.fetched.inventory.libraries
        return [
            "name": .text(row.name), "linkage": .text(row.linkage.rawValue), "mode": row.mode.map(JSONValue.text),
            "trials": .whole(row.trials.count), "failure": row.failure.map { .text($0.reason) },
            "binary_bytes": row.binary.map { .whole($0.rawValue) },
            "figures": .object(
                CostFigure.all.map { figure in
                    (figure.name, row.values(of: figure).map { JSONValue(figure.unit, $0) })
                }),
            "libraries": libraries.map { .list($0.map { PathText.name(of: $0.path) }.sorted().map(JSONValue.text)) },
        ]
    }
}
