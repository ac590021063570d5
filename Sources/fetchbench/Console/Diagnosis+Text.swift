// SPDX-License-Identifier: Apache-2.0

import Measuring
import Texts

extension Diagnosis {
    /// Lines of state, name and detail, each followed by what to do.
    static func text(of diagnoses: [Diagnosis]) -> String {
        let width = diagnoses.map(\.name.count).max() ?? 0
        return diagnoses.map { diagnosis in
            let name = diagnosis.name.padded(to: width)
            let remedy = diagnosis.remedy.map { "\n" + String(repeating: " ", count: width + 11) + "→ " + $0 } ?? ""
            return "\(diagnosis.state.rawValue.padded(to: 7))  \(SafeText.forTerminal(name))  "
                + "\(SafeText.forTerminal(diagnosis.detail))\(remedy)\n"
        }.joined()
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
