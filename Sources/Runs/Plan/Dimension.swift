// SPDX-License-Identifier: Apache-2.0

/// One of the conditions under which a case is fetched: its names, parsing, text and obstacles.
///
/// Flags, suite keys, columns, case identifiers and printed commands are derived from the list ``all``.
package struct Dimension: Sendable {
    /// The flag, without its dashes.
    package let flag: String
    package let valueName: String
    package let help: String
    package let suiteKey: String
    package let column: String
    /// The name in case identifiers.
    let word: String
    /// True if the dimension configures the embedded origin, so that no other server can apply it.
    package let isOfOrigin: Bool
    /// The lines that explain an unusual value in a report; mostly none.
    package let note: [String]
    let set: @Sendable (String, inout FetchConditions) throws -> Void
    package let text: @Sendable (FetchConditions) -> String
    let columnText: @Sendable (FetchConditions) -> String
    /// The reason why a case with an unusual value cannot be measured, or `nil`.
    let obstacle: @Sendable (CaseObstacle) -> String?
    /// The possible values; empty for numbers and for names that programs declare.
    package var choices: [String] = []
    /// The subjects that it applies to.
    package var subjects: Set<PlannedSubject> = [.fetch]
    var isTold: @Sendable (ScenarioDeclaration?) -> Bool = { _ in true }

    package var usual: String { text(.standard) }

    package func isUnusual(in conditions: FetchConditions) -> Bool { text(conditions) != usual }

    static func words<Word: RawRepresentable<String> & CaseIterable & Sendable>(
        _ flag: String, kind: String, _ help: String, valueName: String, suiteKey: String, isOfOrigin: Bool = false,
        note: [String] = [], _ path: any WritableKeyPath<FetchConditions, Word> & Sendable,
        obstacle: @escaping @Sendable (CaseObstacle) -> String? = { _ in nil }
    ) -> Dimension {
        Dimension(
            flag: flag, valueName: valueName, help: help, suiteKey: suiteKey, column: flag, word: flag,
            isOfOrigin: isOfOrigin, note: note,
            set: { text, conditions in
                conditions[keyPath: path] = try WordList.resolve(
                    text, kind: kind, among: Array(Word.allCases), name: \.rawValue)
            }, text: { $0[keyPath: path].rawValue }, columnText: { $0[keyPath: path].rawValue }, obstacle: obstacle,
            choices: Word.allCases.map(\.rawValue))
    }
}

/// The kinds of what a plan measures.
package enum PlannedSubject: Hashable, Sendable, CaseIterable {
    /// A mode, or a command with `{url}`.
    case fetch
    /// A plain command.
    case command
    case server
}

extension FetchConditions {
    /// Returns the conditions without those that do not apply to a subject.
    func only(for subject: PlannedSubject) -> FetchConditions {
        Dimension.all.reduce(into: .standard) { conditions, dimension in
            guard dimension.subjects.contains(subject) else { return }
            // Cannot throw: it is the text of a value.
            try? dimension.set(dimension.text(self), &conditions)
        }
    }

    /// The differences from the standard: `concurrency=5`, `delay=200us`.
    package var words: [String] {
        Dimension.all.filter { $0.isUnusual(in: self) }.map { "\($0.word)=\($0.text(self))" }
    }

    package var withoutDelay: FetchConditions {
        var conditions = self
        conditions.consumerDelayNanoseconds = 0
        return conditions
    }
}

extension Dimension {
    /// Every dimension in the order of flags, columns and identifiers; a new one comes last.
    package static let all = [
        concurrency, consumerDelay, session, transfer, scheme, start, scenario, loader, display,
        destination, http, containerLimit, chunk, clientRate,
    ]

    private static let concurrency = Dimension(
        flag: "concurrency", valueName: "counts", help: "Numbers of concurrent fetches, such as 1,5,10 (default: 1).",
        suiteKey: "concurrency", column: "concurrency", word: "concurrency", isOfOrigin: false,
        note: [
            "With several concurrent fetches, k is relative to the sum of their sizes. On Linux, all URLSessions of a",
            "process share one serial queue, which limits their concurrency.",
        ],
        set: { text, conditions in
            conditions.concurrency = try ConditionRequest.count(text, "--concurrency")
        }, text: { String($0.concurrency) }, columnText: { String($0.concurrency) },
        obstacle: { cell in
            guard cell.mode.abilities.contains(.concurrency) else {
                return cell.planned.command != nil
                    ? "command \(cell.mode.name) fetches one asset at a time"
                    : "mode \(cell.mode.name) blocks its thread, so it fetches one asset at a time"
            }
            guard let most = cell.maximumConnections, cell.cell.conditions.concurrency > most,
                !cell.mode.abilities.contains(.connectionLimit)
            else { return nil }
            return "mode \(cell.mode.name) opens a connection for each fetch, so --max-connections does not apply"
        }, subjects: [.fetch, .server])

    private static let consumerDelay = Dimension(
        flag: "consumer-delay", valueName: "durations",
        help: "Delays of the consumer for each chunk of a body, such as 0,200us (default: 0).",
        suiteKey: "consumer_delays", column: "consumer_delay_ns", word: "delay", isOfOrigin: false,
        note: ["A slow consumer sleeps after each chunk; the size of a chunk depends on the mode."],
        set: { text, conditions in
            guard let delay = DurationText.nanoseconds(parsing: text), delay <= longestDelay else {
                throw FetchBenchError(
                    usage:
                        "invalid --consumer-delay '\(SafeText.forTerminal(text))': expected a duration up to 1s, such as 200us"
                )
            }
            conditions.consumerDelayNanoseconds = delay
        }, text: { DurationText.text(ofNanoseconds: $0.consumerDelayNanoseconds) },
        columnText: { String($0.consumerDelayNanoseconds) },
        obstacle: { cell in
            guard !cell.mode.abilities.contains(.slowConsumer) else { return nil }
            return "mode \(cell.mode.name) does not stream its body, so --consumer-delay does not apply"
        })
    private static let longestDelay = 1_000_000_000

    private static let transfer = words(
        "transfer", kind: "transfer encoding",
        "Transfer encodings of the embedded origin: length, chunked, gzip (default: length).",
        valueName: "encodings", suiteKey: "transfers", isOfOrigin: true, \.transfer
    ) { cell in
        if cell.mode.need == .sink {
            return "mode \(cell.mode.name) uploads the asset, so --transfer does not apply"
        }
        guard cell.cell.conditions.transfer == .gzip, !cell.mode.abilities.contains(.gzip) else { return nil }
        return "mode \(cell.mode.name) does not decode gzip"
    }

    private static let scheme = words(
        "scheme", kind: "scheme", "Protocols of the embedded origin: http, https (default: http).",
        valueName: "schemes", suiteKey: "schemes", isOfOrigin: true,
        note: [
            "Over TLS, the origin uses a certificate made for the run; the warm-up has loaded the TLS library. URLSession",
            "has no setting for a certificate authority on Linux, so it is given to libcurl before the trial.",
        ], \.scheme)

    /// The mark from which growth counts.
    private static let start = words(
        "start", kind: "start",
        "Start of measurement: warm (after a fetch of 1 KiB), cold (before the client is created) (default: warm).",
        valueName: "starts", suiteKey: "starts",
        note: [
            "A cold start has no warm-up: growth counts from a mark before the client is created, so it includes what the",
            "client loads and keeps besides the body, but not what every process starts with.",
        ], \.start
    ) { cell in
        if cell.planned.command != nil { return "command \(cell.mode.name) is always measured from its start" }
        guard cell.mode.need == .sink else { return nil }
        return "mode \(cell.mode.name) has to prepare its upload first, so it has no cold start"
    }

    private static let scenario = Dimension(
        flag: "scenario", valueName: "scenarios",
        help: "Scenarios to run instead of a single fetch, such as repeat:1000; see `list scenarios` (default: none).",
        suiteKey: "scenarios", column: "scenario", word: "scenario", isOfOrigin: false,
        note: [
            "A scenario runs in the phase `fetch`; what it leaves is measured in `hold`. Its trace depends only on the seed, so",
            "two builds see the same. A variant named after a mistake is a control that makes it on purpose.",
        ],
        set: { text, conditions in
            guard let choice = ScenarioChoice(text) else {
                throw FetchBenchError(
                    usage:
                        "invalid --scenario '\(SafeText.forTerminal(text))': expected NAME, NAME:COUNT or NAME:VARIANT:COUNT "
                        + "(1 to \(ScenarioChoice.mostCount)), such as repeat:1000 or repeat:keep-64:1000")
            }
            conditions.scenario = choice
        }, text: { $0.scenario.text }, columnText: { $0.scenario.text },
        obstacle: { ScenarioObstacle($0).reason }, subjects: [.fetch, .server])

    static let session = words(
        "session", kind: "session configuration",
        "URLSession configurations: bare (no cache, no cookies), ephemeral (both in memory), default (both on disk), shared (default: bare).",
        valueName: "kinds", suiteKey: "sessions",
        note: [
            "Sessions other than bare have a cache; cancelling one of their tasks right after its start can crash the process",
            "on Linux (swift-corelibs-foundation #3296). Responses are not cached there, so none is served from a cache.",
        ], \.session
    ) { cell in
        guard cell.mode.abilities.contains(.sessionConfiguration) else {
            return "mode \(cell.mode.name) does not use URLSession, so --session does not apply"
        }
        return cancelObstacle(cell) ?? (cell.cell.conditions.session == .shared ? sharedObstacle(cell) : nil)
    }

    /// The reason why a scenario that cancels, as loaders do at their end, is not played with a session that has a cache.
    private static func cancelObstacle(_ cell: CaseObstacle) -> String? {
        let conditions = cell.cell.conditions
        let choice = conditions.scenario
        guard conditions.session.hasCache, choice != .none,
            let scenario = cell.planned.scenarios.first(where: { $0.name == choice.name }),
            scenario.cancels(choice) || scenario.needs.loader
        else { return nil }
        return
            "\(choice.text) cancels fetches, and URLSession can crash when a task of a session with a cache, such as "
            + "\(conditions.session.rawValue), is cancelled (swift-corelibs-foundation #3296): use --session bare"
    }

    /// The reason why a case cannot use the session that the whole process shares.
    private static func sharedObstacle(_ cell: CaseObstacle) -> String? {
        let name = cell.mode.name
        if !cell.mode.abilities.isDisjoint(with: [.slowConsumer, .pieces]) {
            return "mode \(name) needs a delegate, which URLSession.shared does not support"
        }
        let choice = cell.cell.conditions.scenario
        let scenario = cell.planned.scenarios.first { $0.name == choice.name }
        if scenario?.variant(of: choice)?.abilities.contains(.sessionConfiguration) == true {
            return "\(choice.text) creates sessions, so it cannot use URLSession.shared"
        }
        if cell.maximumConnections != nil {
            return "URLSession.shared cannot be configured: omit --max-connections"
        }
        guard !cell.asset.isEmbedded, cell.request != nil || cell.asset.location.contains("@") else { return nil }
        return
            "URLSession.shared has no delegate that could withhold headers and credentials from a redirect to another "
            + "host: use another --session"
    }

    static let loader = Dimension(
        flag: "loader", valueName: "policies",
        help: "Image-loading policies for scenarios, such as best,kingfisher,nuke; see `list loaders` (default: none).",
        suiteKey: "loaders", column: "loader", word: "loader", isOfOrigin: false,
        note: [
            "A loader models the policy of a library (`list loaders` names the source of each figure) with fetchbench's own",
            "caches. It is not the library itself, which does not build on Linux.",
        ],
        set: { text, conditions in
            guard !text.isEmpty, text.allSatisfy({ $0.isASCII && ($0.isLowercase || $0.isNumber || $0 == "-") }) else {
                throw FetchBenchError(
                    usage: "unknown loader '\(SafeText.forTerminal(text))': see `fetchbench list loaders`")
            }
            conditions.loader = text
        }, text: { $0.loader }, columnText: { $0.loader },
        obstacle: { cell in
            let choice = cell.cell.conditions.scenario
            let scenario = cell.planned.scenarios.first { $0.name == choice.name }
            guard scenario?.needs.loader != true else { return nil }
            let what = choice == .none ? "a single fetch" : choice.name
            return "\(what) loads no pictures, so --loader does not apply (see `fetchbench list scenarios`)"
        }, isTold: { $0?.needs.loader == true })
}

extension [ScenarioDeclaration] {
    package var loaders: [LoaderDeclaration] {
        var seen: Set<String> = []
        return flatMap { $0.loaders ?? [] }.filter { seen.insert($0.name).inserted }
    }

    package func checkLoader(_ name: String) throws {
        if name != FetchConditions.usualLoader { _ = try loader(name) }
    }

    /// Returns the mode closest to what each loader does itself, by the loader's name.
    package func closestModes(of conditions: [FetchConditions]) throws -> [String: String] {
        var closest: [String: String] = [:]
        for one in conditions {
            guard contains(where: { $0.name == one.scenario.name && $0.needs.loader }) else {
                let what = one.scenario == .none ? "a single fetch" : "scenario \(one.scenario.name)"
                throw FetchBenchError(
                    usage: "--mode closest measures each loader in the mode closest to it, and \(what) has no loader: "
                        + "name modes, or use a scenario with loaders, such as gallery")
            }
            closest[one.loader] = try loader(one.loader).closestMode
        }
        return closest
    }

    private func loader(_ name: String) throws -> LoaderDeclaration {
        try WordList.resolve(name, kind: "loader", among: loaders, name: \.name, listedBy: "list loaders")
    }
}

extension Dimension {
    package static let http = words(
        "http", kind: "version of HTTP",
        "HTTP versions: 1.1, 2 (needs --scheme https); with --url https 1.1 (default: 1.1; --url: negotiated).",
        valueName: "versions", suiteKey: "http", isOfOrigin: true,
        note: [
            "On the embedded origin HTTP/2 has its own port; a trial fails unless the origin sent all of its bodies over HTTP/2.",
            "Streams share a connection in URLSession, AsyncHTTPClient and nio-stream; each easy handle of libcurl, and so",
            "each fetch of curl-stream, opens its own connection.",
        ], \.http
    ) { cell in
        guard cell.asset.isEmbedded else {
            guard cell.cell.conditions.http == .http1Only else { return "with --url, --http accepts only 1.1" }
            if cell.planned.command != nil { return "command \(cell.mode.name) chooses its own version of HTTP" }
            return cell.mode.abilities.contains(.http1Only)
                ? nil : "mode \(cell.mode.name) \(ModeAbility.http1Only.lack)"
        }
        guard cell.cell.conditions.http == .http2 else { return "1.1-only is for --url: use --http 1.1" }
        guard cell.cell.conditions.scheme == .https else {
            return "the embedded origin supports HTTP/2 only over TLS: add --scheme https"
        }
        // The trial of a command fails if the origin sees another version.
        guard cell.planned.command == nil, !cell.mode.abilities.contains(.http2) else { return nil }
        return "mode \(cell.mode.name) does not support HTTP/2"
    }

    static let destination = words(
        "destination", kind: "destination",
        "File systems for the files of modes: same (as TMPDIR), other (see --destination-folder) (default: same).",
        valueName: "places", suiteKey: "destinations",
        note: [
            "On another file system a file cannot be renamed: modes that move it (download tasks) copy it in the kernel and",
            "remove the first one; the others write it there directly. On tmpfs, the file is memory that cannot be reclaimed.",
        ], \.destination
    ) { cell in
        if cell.planned.command != nil { return "command \(cell.mode.name) writes to the trial's own folder" }
        guard cell.mode.abilities.contains(.file) else {
            return "mode \(cell.mode.name) does not store the body in a file"
        }
        guard cell.cell.conditions.scenario == .none else {
            return "a scenario stores its files in the trial's own folder"
        }
        guard !cell.model.takesPieces || !cell.mode.abilities.contains(.pieces) else {
            return "mode \(cell.mode.name) streams the body to \(cell.model.name) and writes no file"
        }
        return nil
    }

    static let display = words(
        "display", kind: "moment of display",
        "When pictures are decoded: verified (after the body is verified), at-once (as soon as it arrives) (default: verified).",
        valueName: "moments", suiteKey: "displays",
        note: [
            "With --display at-once, a picture is decoded in the phase `fetch`, together with what the fetch still holds;",
            "with several concurrent fetches, all are shown when the last body is complete. The phase `render` is then empty.",
            "A body in memory is hashed when it is released: in `fetch` by models that drop it (thumbnail), otherwise in",
            "`hold`; the CPU time of that phase includes the verification.",
        ], \.display
    ) { cell in
        if cell.planned.command != nil { return "command \(cell.mode.name) does not show pictures" }
        guard cell.model.needsBody else {
            return "render model \(cell.model.name) does not show pictures"
        }
        guard cell.cell.conditions.scenario == .none else { return "a scenario decides itself when pictures are shown" }
        return nil
    }

    package static let containerLimit = Dimension(
        flag: "container-limit", valueName: "sizes",
        help: "Memory limits of the control group that each trial gets, such as 64MiB,none (default: none).",
        suiteKey: "container_limits", column: "container_limit_bytes", word: "limit", isOfOrigin: false,
        note: [
            "With a container limit, a trial has a control group of its own with that limit, as a container has. The kernel",
            "reclaims clean page cache before it kills: `killed_by_limit`. The origin and fetchbench itself are not limited.",
        ],
        set: { text, conditions in
            conditions.containerLimit = try containerLimit(parsing: text, of: "--container-limit")
        }, text: { $0.containerLimit?.exactText ?? unlimited },
        columnText: { $0.containerLimit.map { "\($0.rawValue)" } ?? "" }, obstacle: { _ in nil },
        subjects: Set(PlannedSubject.allCases))
    private static let unlimited = "none"

    private static let chunk = Dimension(
        flag: "chunk", valueName: "sizes",
        help: "Bytes in each HTTP chunk, such as 16 (default: none).",
        suiteKey: "chunks", column: "chunk_bytes", word: "chunk", isOfOrigin: true,
        note: [
            "Servers that flush each line or event send chunks of some bytes. A client may hold something for each of them",
            "(docs/chunks.md); k is still relative to the body without its chunks' frames.",
        ],
        set: { text, conditions in
            guard text != unlimited else { return conditions.chunk = nil }
            guard let size = ByteCount(parsing: text), size > .zero, size <= .mebibytes(1) else {
                throw FetchBenchError(
                    usage:
                        "invalid --chunk '\(SafeText.forTerminal(text))': expected a size from 1 byte to 1MiB, such as 16 or 64KiB, or "
                        + "none")
            }
            conditions.chunk = size
        }, text: { $0.chunk?.exactText ?? unlimited }, columnText: { $0.chunk.map { "\($0.rawValue)" } ?? "" },
        obstacle: { cell in
            if cell.mode.need == .sink { return "mode \(cell.mode.name) uploads the asset, so --chunk does not apply" }
            guard cell.cell.conditions.transfer == .chunked else {
                return "only a body in chunks has a size of them: add --transfer chunked"
            }
            return cell.cell.conditions.http == .http2 ? "HTTP/2 has no chunks, so --chunk does not apply" : nil
        }, subjects: [.fetch, .server])

    private static let clientRate = Dimension(
        flag: "client-rate", valueName: "rates",
        help:
            "Bytes a second that each client of a server reads or writes, such as 1MiB,unlimited (default: unlimited).",
        suiteKey: "client_rates", column: "client_bytes_per_second", word: "client-rate", isOfOrigin: false,
        note: ["What a slow client does not take, its server holds in memory, or leaves in the kernel's buffers."],
        set: { text, conditions in
            guard text != "unlimited" else { return conditions.clientRate = nil }
            guard let rate = ByteCount(parsing: text), rate >= .kibibytes(1) else {
                throw FetchBenchError(
                    usage:
                        "invalid --client-rate '\(SafeText.forTerminal(text))': expected at least 1KiB a second, such as 1MiB, "
                        + "or unlimited")
            }
            conditions.clientRate = rate
        }, text: { $0.clientRate?.exactText ?? "unlimited" },
        columnText: { $0.clientRate.map { "\($0.rawValue)" } ?? "" },
        obstacle: { _ in "only clients of a server have a rate: use `fetchbench endpoint`" }, subjects: [.server])

    package static func containerLimit(parsing text: String, of flag: String) throws -> ByteCount? {
        guard text != unlimited else { return nil }
        let limit = try ByteCount.limit(parsing: text, of: flag)
        guard limit >= .mebibytes(1) else {
            throw FetchBenchError(
                usage:
                    "invalid \(flag) '\(SafeText.forTerminal(text))': no program starts with less than 1MiB; expected a size such "
                    + "as 64MiB, or none")
        }
        if let memory = EnvironmentProbe.memory(), limit > memory {
            throw FetchBenchError(
                usage:
                    "invalid \(flag) '\(SafeText.forTerminal(text))': this machine has \(ByteText.mebibytes(memory)), so it would "
                    + "limit nothing; expected less, or none")
        }
        return limit
    }
}
