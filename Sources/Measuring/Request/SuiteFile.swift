// SPDX-License-Identifier: Apache-2.0

import Foundation
package import Runs

/// The contents of a suite file; `nil` where the defaults of the command line apply.
package struct SuiteFile: Hashable, Sendable {
    package static let keys =
        ["name", "description"] + PlanWords.List.allCases.map(\.rawValue) + ["noise"] + Setting.all.map(\.suiteKey)
        + Dimension.all.map(\.suiteKey)

    package var name: String
    package var description: String?
    package var lists: [PlanWords.List: [String]] = [:]
    package var conditions: [String: [String]] = [:]
    package var settings: [String: String] = [:]
    package var noise: NoiseFloors?

    package init(parsing yaml: String, fileName: String) throws {
        let reader = try SuiteReader(parsing: yaml, fileName: fileName)
        name = try reader.text("name") ?? fileName
        description = try reader.text("description")
        for list in PlanWords.List.allCases { lists[list] = try reader.list(list.rawValue) }
        for key in Dimension.all.map(\.suiteKey) { conditions[key] = try reader.list(key) }
        for setting in Setting.all { settings[setting.suiteKey] = try reader.text(of: setting) }
        noise = try reader.floors("noise")
    }

    /// Reads the values of a suite from YAML; errors name the line.
    private struct SuiteReader {
        private let fileName: String
        private let values: [String: YAMLNode]

        init(parsing yaml: String, fileName: String) throws {
            self.fileName = fileName
            guard let mapping = try YAMLNode.root(of: yaml, fileName: fileName)?.mapping else {
                throw FetchBenchError.malformedSuite(name: fileName, reason: "expected a mapping of keys to values")
            }
            var values: [String: YAMLNode] = [:]
            for (keyNode, value) in mapping {
                let word = keyNode.string ?? ""
                guard SuiteFile.keys.contains(word) else {
                    let complaint = Suggestion.complaint(about: word, of: "key", choices: SuiteFile.keys)
                    throw Self.mistake(fileName, at: keyNode, complaint)
                }
                values[word] = value
            }
            self.values = values
        }

        func text(_ key: String) throws -> String? {
            guard let node = values[key] else { return nil }
            guard let text = node.string, !text.isEmpty else {
                throw Self.mistake(fileName, at: node, "\(key) must be a single value")
            }
            return text
        }

        func text(of setting: Setting) throws -> String? {
            let key = setting.suiteKey
            guard let text = try text(key), let node = values[key] else { return nil }
            guard setting.isNumber?(text) ?? true else {
                throw Self.mistake(fileName, at: node, "\(key) must be a number, not '\(text)'")
            }
            return text
        }

        func list(_ key: String) throws -> [String]? {
            guard let node = values[key] else { return nil }
            let words = node.sequence?.map(\.string) ?? [node.string]
            let list = words.compactMap(\.self)
            guard !list.isEmpty, list.count == words.count, !list.contains("") else {
                throw Self.mistake(fileName, at: node, "\(key) must be a list of words")
            }
            // Without duplicates, as on the command line: a repeated asset or case has no trials of its own.
            return list.enumerated().filter { list.firstIndex(of: $0.element) == $0.offset }.map(\.element)
        }

        func floors(_ key: String) throws -> NoiseFloors? {
            guard let node = values[key] else { return nil }
            let form =
                "\(key) must map cases to metrics to sizes such as 20KiB (`fetchbench calibrate --write` writes it)"
            guard let mapping = node.mapping else { throw Self.mistake(fileName, at: node, form) }
            var floors = NoiseFloors()
            for (name, metrics) in mapping {
                guard let cell = name.string, let sizes = metrics.mapping else {
                    throw Self.mistake(fileName, at: name, form)
                }
                for (metric, value) in sizes {
                    guard let word = metric.string,
                        let size = value.string.flatMap({ ByteCount(parsing: $0) })
                    else { throw Self.mistake(fileName, at: metric, form) }
                    floors[cell, word] = Double(size.rawValue)
                }
            }
            return floors
        }

        private static func mistake(_ fileName: String, at node: YAMLNode, _ text: String) -> FetchBenchError {
            .malformedSuite(name: fileName, reason: "line \(node.line): " + text)
        }
    }
}

extension SuiteFile {
    package static func text(at path: String) throws -> String {
        let data = try WholeFile.data(at: path, name: path, allowsPipe: true)
        return String(decoding: data, as: UTF8.self)
    }
}

extension NoiseFloors {
    /// Replaces the noise floors in the text of a suite, and nothing else; removes the key if there are none.
    package func written(into text: String) -> String {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        if let start = lines.firstIndex(where: { $0.hasPrefix("noise:") }) {
            let rest = lines[(start + 1)...]
            let end = rest.firstIndex { !$0.isEmpty && !$0.hasPrefix(" ") && !$0.hasPrefix("\t") } ?? lines.endIndex
            lines.removeSubrange(start..<end)
        }
        while lines.last?.isEmpty == true { lines.removeLast() }
        if !values.isEmpty { lines.append("noise:") }
        for (cell, floors) in values.sorted(by: { $0.key < $1.key }) {
            lines.append("  \"\(cell)\":")
            for (metric, floor) in floors.sorted(by: { $0.key < $1.key }) {
                lines.append("    \(metric): \(Int(exactly: floor.rounded(.up)) ?? .max)B")
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
