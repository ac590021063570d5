// SPDX-License-Identifier: Apache-2.0

package import Runs

/// The observations of all promises, with the toolchain: `behaviours.json`.
package struct BehaviourReport: Codable, Hashable, Sendable {
    package static let currentSchema = 1

    /// The toolchain and platform under test.
    package struct Toolchain: Codable, Hashable, Sendable {
        package var swift: String
        /// `release` or `debug`.
        package var build: String
        package var kernel: String
        /// The C library and its version.
        package var libc: String
        package var architecture: String
        /// The version text of the loaded libcurl, on which URLSession is built.
        package var libcurl: String?
        /// The platform that the toolchain's URLSession was built on, or `nil` if unknown.
        package var platform: String?
        /// The first line of the compiler's version, or `nil` if none was used.
        package var compiler: String?

        package init(
            _ environment: MachineEnvironment, libcurl: String? = nil, platform: String? = nil, compiler: String? = nil
        ) {
            self.libcurl = libcurl
            self.platform = platform
            self.compiler = compiler
            swift = environment.swift
            build = environment.buildConfiguration
            kernel = environment.kernel
            libc = environment.libc
            architecture = environment.architecture
        }
    }

    package struct Row: Codable, Hashable, Sendable {
        package var name: String
        package var path: String
        package var promise: String
        package var word: Word
        package var detail: String
        /// The cause, or `nil` if the promise is kept or the cause is unknown.
        package var cause: String?
        /// The upstream issue; `nil` without a cause.
        package var upstream: String?
        /// The count of each word, or `nil` after one attempt.
        package var attempts: [String: Int]?
        /// The words that an expectation treats as equal; `nil` if it accepts the word alone.
        package var accepts: [Word]?
        /// The figures as numbers, or `nil` in a row without evidence.
        package var figures: Figures?

        package init(_ behaviour: Behaviour, _ observation: Observation, figures: Figures? = nil) {
            name = behaviour.name
            path = behaviour.path
            promise = behaviour.promise
            word = observation.word
            detail = observation.detail
            if let flaw = behaviour.flaw, observation.word != .holds, observation.word != .notTried {
                cause = flaw.cause
                upstream = flaw.upstreamText
            }
            let words = behaviour.interchangeable
            accepts = words.contains(observation.word) ? words : nil
            self.figures = figures
        }

        package init(_ behaviour: Behaviour, _ evidence: [Evidence]) {
            let verdict = behaviour.verdict(on: evidence)
            self.init(behaviour, verdict.observation, figures: Figures(verdict.evidence))
            guard !verdict.shares.isEmpty else { return }
            attempts = Dictionary(uniqueKeysWithValues: verdict.shares.map { ($0.rawValue, $1) })
        }
    }

    package var schema: Int
    package var tool: String
    package var toolchain: Toolchain
    package var rows: [Row]
    /// True if it was interrupted before every promise was tried; `nil` otherwise.
    package var isIncomplete: Bool?

    package init(tool: String, toolchain: Toolchain, rows: [Row], isIncomplete: Bool? = nil) {
        schema = Self.currentSchema
        self.tool = tool
        self.toolchain = toolchain
        self.rows = rows
        self.isIncomplete = isIncomplete
    }

    private enum CodingKeys: String, CodingKey {
        case schema, tool, toolchain, rows
        case isIncomplete = "incomplete"
    }
}
