// SPDX-License-Identifier: Apache-2.0

package enum Usage {
    /// Rethrows an error about arguments as `ValidationError`, which the parser needs.
    package static func checked<Value>(_ work: () throws -> Value) throws -> Value {
        do {
            return try work()
        } catch let error as FetchBenchError where error.kind == .usage {
            throw ValidationError(error.description)
        }
    }

    package static func check<Value>(_ flag: String, _ value: Value, in range: ClosedRange<Value>) throws {
        guard !range.contains(value) else { return }
        throw ValidationError(
            "invalid \(flag) '\(value)': expected a number from \(range.lowerBound) to \(range.upperBound)")
    }

    package static func checkTimeout(_ seconds: Double) throws {
        guard seconds >= 0.1, seconds <= 3600 else {
            throw ValidationError("invalid --timeout '\(seconds)': expected seconds from 0.1 to 3600")
        }
    }

    package static func checkFolder(_ path: String?) throws {
        guard path != "" else { throw ValidationError("invalid --output '': expected the path of a folder") }
    }

    /// Returns the formats named by `--format`.
    package static func formats<Format>(
        _ words: [String], among formats: [Format], name: (Format) -> String
    ) throws -> [Format] {
        try checked {
            try WordList.resolve(
                WordList.words(of: "--format", words, orOf: nil), kind: "format", among: formats, name: name)
        }
    }

    package static func names<Subject>(of renderers: [any TextRenderer<Subject>]) -> String {
        renderers.map { $0.name }.joined(separator: ", ")
    }
}

/// A kind of thing that can be named on the command line.
package enum ListTopic: String, CaseIterable {
    case modes, renders, scenarios, loaders, allocators, assets, dimensions, suites, metrics, formats
}

extension CompletionKind {
    /// The names that `fetchbench list` prints at the time of completion.
    package static func listed(_ topic: ListTopic) -> CompletionKind {
        .shellCommand("fetchbench list --names \(topic.rawValue)")
    }
}
