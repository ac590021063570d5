// SPDX-License-Identifier: Apache-2.0

package import Runs

/// What was observed of each promise, and on which toolchain: `behaviours.json`.
package struct BehaviourReport: Codable, Hashable, Sendable {
    /// The only version of the form so far.
    package static let currentSchema = 1

    /// What the APIs were built with and run on.
    package struct Toolchain: Codable, Hashable, Sendable {
        package var swift: String
        /// `release` or `debug`.
        package var build: String
        package var kernel: String
        /// The C library and its version.
        package var libc: String
        package var architecture: String
        /// What the loaded libcurl, which URLSession rests on here, says of itself and of its parts.
        package var libcurl: String?
        /// The platform that the toolchain's URLSession was built on, or `nil` where it does not tell.
        package var platform: String?
        /// The first line of the version of the compiler that was asked, or `nil` where none was.
        package var compiler: String?

        /// Takes the toolchain out of what is known of the machine.
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
        /// What a user of the API expects.
        package var promise: String
        package var word: Word
        /// The figures behind the word.
        package var detail: String
        /// Where it comes from that the promise is not kept; `nil` where it is kept, or where nobody knows.
        package var cause: String?
        /// Where that is known upstream; `nil` where there is no cause.
        package var upstream: String?
        /// How often which word was seen, where it is chance which one is; `nil` where there was one attempt.
        package var attempts: [String: Int]?
        /// The words that an expectation takes for the same one; `nil` where it takes none but the word itself.
        package var accepts: [Word]?
        /// The figures as numbers, or `nil` where a row was made by hand.
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

        /// Creates the row of all attempts.
        package init(_ behaviour: Behaviour, _ evidence: [Evidence]) {
            let verdict = behaviour.verdict(on: evidence)
            self.init(behaviour, verdict.observation, figures: Figures(verdict.evidence))
            guard !verdict.shares.isEmpty else { return }
            attempts = Dictionary(uniqueKeysWithValues: verdict.shares.map { ($0.rawValue, $1) })
        }
    }

    /// The version of the form.
    package var schema: Int
    package var tool: String
    package var toolchain: Toolchain
    package var rows: [Row]
    /// Whether it was stopped before every promise was tried; `nil` where it was not.
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
