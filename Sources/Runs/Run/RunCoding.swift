// SPDX-License-Identifier: Apache-2.0

import Foundation
import OperatingSystem
import Texts

/// How runs are written as JSON: in a stable order, so that two of them can be compared as text.
package enum RunCoding {
    /// A value as people read it, on many lines.
    package static func readableText(of value: some Encodable) throws(FetchBenchError) -> String {
        try text(of: value, .readable)
    }

    /// A value on one line, with its end.
    package static func compactText(of value: some Encodable) throws(FetchBenchError) -> String {
        try text(of: value, .compact)
    }

    private static func text(
        of value: some Encodable, _ layout: JSONText.Layout
    ) throws(FetchBenchError) -> String {
        do {
            return try JSONText.text(of: value, layout)
        } catch {
            throw FetchBenchError.malformedRun(name: "\(type(of: value))", reason: "\(error)")
        }
    }
}
