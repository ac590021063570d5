// SPDX-License-Identifier: Apache-2.0

import Foundation
import OperatingSystem
package import Runs

/// The text of a suite, in which one key can be replaced without changing the rest.
package struct SuiteText: Hashable, Sendable {
    private let text: String

    package init(_ text: String) {
        self.text = text
    }

    package init(at path: String) throws(FetchBenchError) {
        let data = try FetchBenchError.onFiles { () throws(FileFailure) in
            try WholeFile.data(at: path, name: path, allowsPipe: true)
        }
        text = String(decoding: data, as: UTF8.self)
    }

    /// Replaces the noise floors; removes the key if there are none.
    package func withNoise(_ noise: NoiseFloors) -> String {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        if let start = lines.firstIndex(where: { $0.hasPrefix("noise:") }) {
            let rest = lines[(start + 1)...]
            let end = rest.firstIndex { !$0.isEmpty && !$0.hasPrefix(" ") && !$0.hasPrefix("\t") } ?? lines.endIndex
            lines.removeSubrange(start..<end)
        }
        while lines.last?.isEmpty == true { lines.removeLast() }
        if !noise.values.isEmpty { lines.append("noise:") }
        for (cell, floors) in noise.values.sorted(by: { $0.key < $1.key }) {
            lines.append("  \"\(cell)\":")
            lines += floors.sorted { $0.key < $1.key }.map { "    \($0.key): \(Int($0.value.rounded(.up)))B" }
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
