// SPDX-License-Identifier: Apache-2.0

import Testing

/// The files of `/proc/PID` as one kernel wrote them.
struct Recording: CustomTestStringConvertible {
    var kernel: String
    var statm: String
    var status: String
    var stat: String
    var smapsRollup: String?

    var testDescription: String { kernel }

    /// All of them, by their names.
    var files: [String: String] {
        var files = ["statm": statm, "status": status, "stat": stat]
        files["smaps_rollup"] = smapsRollup
        return files
    }
}
