// SPDX-License-Identifier: Apache-2.0

import Foundation
import OperatingSystem
import Texts

/// The JSON encoding of runs, with sorted keys so that they can be compared as text.
package enum RunCoding {
    /// Returns indented JSON.
    package static func readableText(of value: some Encodable) throws(FetchBenchError) -> String {
        try text(of: value, .readable)
    }

    /// Returns JSON on one line, with its newline.
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
