// SPDX-License-Identifier: Apache-2.0

import FetchBenchKit
import Foundation

/// The suites of the project whose folder is the working one.
enum SuiteFolder {
    /// Where they lie.
    static let path = "Benchmarks/suites"

    /// Each suite with the question it answers, or what is wrong with its file; none outside of a project.
    static func suites() -> [(path: String, description: String)] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return names.filter { $0.hasSuffix(".yml") }.sorted().map { name in
            let file = path + "/" + name
            let text = FileManager.default.contents(atPath: file).map { String(decoding: $0, as: UTF8.self) } ?? ""
            do throws(FetchBenchError) {
                let suite = try SuiteFile(parsing: text, fileName: name)
                return (file, SafeText.forTerminal(suite.description ?? suite.name))
            } catch {
                return (file, SafeText.forTerminal(error.explanation))
            }
        }
    }
}
