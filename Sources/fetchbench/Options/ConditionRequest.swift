// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FetchBenchKit
import TrialKit

/// The conditions that flags and suite ask for together, checked.
struct ConditionRequest: Sendable {
    private static let mostFetches = 1000
    private static let longestDelay = 1_000_000_000

    /// How many fetches at once, each number a dimension's value.
    let concurrency: [Int]
    /// How slow consumers are, in nanoseconds for each piece.
    let delays: [Int]
    /// The configurations of sessions.
    let sessions: [SessionKind]
    /// How bodies are sent.
    let transfers: [TransferEncoding]
    /// How the origin is spoken with.
    let schemes: [OriginScheme]
    /// How many connections to one host, or `nil` for what each mode does by itself.
    let maximumConnections: Int?

    /// Joins flags and suite.
    /// - Throws: `ValidationError` for a word or a number that makes no sense.
    init(_ options: ConditionOptions, _ suite: SuiteFile?) throws {
        concurrency = try WordList.words(of: "--concurrency", options.concurrency, orOf: suite?.concurrency ?? ["1"])
            .map { try Self.count($0, "--concurrency") }.eachOnce
        delays = try WordList.words(
            of: "--consumer-delay", options.consumerDelays, orOf: suite?.consumerDelays ?? ["0"]
        )
        .map { try Self.delay($0) }.eachOnce
        sessions = try Self.words(
            "--session", options.sessions, suite?.sessions, [.ephemeral], kind: "session configuration")
        transfers = try Self.words(
            "--transfer", options.transfers, suite?.transfers, [.length], kind: "transfer encoding")
        schemes = try Self.words("--scheme", options.schemes, suite?.schemes, [.http], kind: "scheme")
        maximumConnections = try (options.maxConnections.map(String.init) ?? suite?.maxConnections)
            .map { try Self.count($0, "--max-connections") }
    }

    /// The conditions of one case alone.
    init(only conditions: FetchConditions, maximumConnections: Int?) {
        concurrency = [conditions.concurrency]
        delays = [conditions.consumerDelayNanoseconds]
        sessions = [conditions.session]
        transfers = [conditions.transfer]
        schemes = [conditions.scheme]
        self.maximumConnections = maximumConnections
    }

    /// Every combination, in the order of the report.
    var all: [FetchConditions] {
        schemes.flatMap { scheme in
            transfers.flatMap { transfer in
                sessions.flatMap { session in
                    concurrency.flatMap { count in
                        delays.map { delay in
                            var conditions = FetchConditions.standard
                            conditions.scheme = scheme
                            conditions.transfer = transfer
                            conditions.session = session
                            conditions.concurrency = count
                            conditions.consumerDelayNanoseconds = delay
                            return conditions
                        }
                    }
                }
            }
        }
    }

    /// Refuses what only the embedded origin can do.
    func checkForeignURL() throws {
        guard schemes == [.http], transfers == [.length] else {
            throw ValidationError(
                "--scheme and --transfer tell the embedded origin how to send; what --url names decides that itself")
        }
    }

    /// The flags that ask for the same again.
    var flags: [String] {
        var words: [String] = []
        if concurrency != [1] { words += ["--concurrency", concurrency.map(String.init).joined(separator: ",")] }
        if let maximumConnections { words += ["--max-connections", "\(maximumConnections)"] }
        if delays != [0] {
            words += ["--consumer-delay", delays.map { DurationText.text(ofNanoseconds: $0) }.joined(separator: ",")]
        }
        if sessions != [.ephemeral] { words += ["--session", sessions.map(\.rawValue).joined(separator: ",")] }
        if transfers != [.length] { words += ["--transfer", transfers.map(\.rawValue).joined(separator: ",")] }
        if schemes != [.http] { words += ["--scheme", schemes.map(\.rawValue).joined(separator: ",")] }
        return words
    }

    private static func words<Word: RawRepresentable & CaseIterable>(
        _ flag: String, _ given: [String], _ suite: [String]?, _ usual: [Word], kind: String
    ) throws -> [Word] where Word.RawValue == String {
        let asked = try WordList.words(of: flag, given, orOf: suite ?? usual.map(\.rawValue))
        return try WordList.resolve(asked, kind: kind, among: Array(Word.allCases), name: \.rawValue)
    }

    private static func count(_ text: String, _ flag: String) throws -> Int {
        guard let number = Int(text), (1...mostFetches).contains(number) else {
            throw ValidationError("\(flag): '\(SafeText.forTerminal(text))' is no number from 1 to \(mostFetches)")
        }
        return number
    }

    private static func delay(_ text: String) throws -> Int {
        guard let delay = DurationText.nanoseconds(parsing: text), delay <= longestDelay else {
            throw ValidationError(
                "--consumer-delay: '\(SafeText.forTerminal(text))' is no duration up to 1s; give 0, 200us or 1ms")
        }
        return delay
    }
}

extension [Int] {
    /// Each number once: `1ms` and `1000us` are one condition.
    fileprivate var eachOnce: [Int] {
        reduce(into: []) { numbers, number in if !numbers.contains(number) { numbers.append(number) } }
    }
}
