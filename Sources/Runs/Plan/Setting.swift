// SPDX-License-Identifier: Apache-2.0

/// A setting for all trials of a plan, such as `--latency`: its names, parsing, texts, comparison and check.
///
/// Flags, suite keys, obstacles of plain commands, printed commands, reports and the comparability of runs are derived
/// from the list ``all``.
package struct Setting: Sendable {
    package let flag: String
    package let valueName: String
    package let help: String
    /// The possible values; empty for numbers and other forms of text.
    package let choices: [String]
    package let isNumber: (@Sendable (String) -> Bool)?
    package let isOfFetch: Bool
    package let isOfOrigin: Bool
    /// True if it applies to a fetch and to the answers of a server.
    private let isOfServer: Bool
    package let isPath: Bool
    let set: @Sendable (String, inout SettingValues) throws -> Void
    package let text: @Sendable (SettingValues) -> String?
    package let told: @Sendable (SettingValues) -> String?
    /// The property that makes runs incomparable if it differs, or `nil`.
    package let compared: Compared?
    let check: @Sendable (TrialSettings, inout FieldChecks, FieldChecks.Place) -> Void

    package struct Compared: Sendable {
        package let name: String
        package let text: @Sendable (SettingValues) -> String

        init(_ name: String, _ text: @escaping @Sendable (SettingValues) -> String) {
            (self.name, self.text) = (name, text)
        }
    }

    init(
        _ flag: String, _ help: String, valueName: String? = nil, choices: [String] = [], isOfFetch: Bool = false,
        isOfOrigin: Bool = false, isOfServer: Bool = false, isPath: Bool = false,
        isNumber: (@Sendable (String) -> Bool)? = nil,
        set: @escaping @Sendable (String, inout SettingValues) throws -> Void,
        text: @escaping @Sendable (SettingValues) -> String? = { _ in nil },
        told: @escaping @Sendable (SettingValues) -> String? = { _ in nil }, compared: Compared? = nil,
        check: @escaping @Sendable (TrialSettings, inout FieldChecks, FieldChecks.Place) -> Void = { _, _, _ in }
    ) {
        self.flag = flag
        self.valueName = valueName ?? flag
        (self.help, self.choices, self.isPath) = (help, choices, isPath)
        (self.isNumber, self.isOfFetch, self.isOfOrigin) = (isNumber, isOfFetch, isOfOrigin)
        self.isOfServer = isOfServer
        (self.set, self.text, self.told, self.compared) = (set, text, told, compared)
        self.check = check
    }

    /// True if it applies to one of these; what configures the embedded origin, to a server that asks it, too.
    package func applies(to subjects: Set<PlannedSubject>) -> Bool {
        !isOfFetch || subjects.contains(.fetch) || (isOfOrigin || isOfServer) && subjects.contains(.server)
    }

    package var suiteKey: String { String(flag.map { $0 == "-" ? "_" : $0 }) }

    /// Returns the flag and the value that reproduce the setting; empty for the default.
    package func words(of values: SettingValues) -> [String] {
        text(values).map { ["--" + flag, $0] } ?? []
    }
}

package struct SettingValues: Hashable, Sendable {
    package var trials: Int
    package var seed: UInt64
    package var settings: TrialSettings

    package init(_ plan: Plan) {
        trials = plan.trials
        seed = plan.seed
        settings = plan.settings
    }

    /// Joins flags and suite; a flag takes precedence over a suite, and a single setting over a profile.
    package init(flags: [String: String], suite: [String: String] = [:]) throws {
        (trials, seed, settings) = (10, 1, TrialSettings(memoryLimit: TrialMemoryLimit.standard))
        // In reverse order, so that a profile is applied before the settings that it contains.
        for setting in Setting.all.reversed() where flags[setting.flag] == nil {
            if let text = suite[setting.suiteKey] { try setting.set(text, &self) }
        }
        for setting in Setting.all.reversed() {
            if let text = flags[setting.flag] { try setting.set(text, &self) }
        }
    }

    /// Rejects a certificate authority of anything but a foreign URL with https.
    package func checkAuthority(of url: String?) throws {
        guard settings.certificateAuthority == nil || url?.hasPrefix("https://") == true else {
            throw FetchBenchError(usage: "--cacert needs an https --url; the embedded origin has its own authority")
        }
    }
}

extension Setting {
    /// Every setting, in the order of help and printed commands; a profile follows the settings that it contains.
    package static let all = [
        maximumConnections, trials, seed, rate, latency, profile, timeout, memoryLimit, view, maximumPixels,
        decoderMemory,
        verification, destinationFolder, certificateAuthority,
    ]

    package static let inReports =
        firstInReports + all.filter { one in !firstInReports.contains { $0.flag == one.flag } }
    private static let firstInReports = [seed, rate, verification, maximumConnections, view]

    private static let maximumConnections = Setting(
        "max-connections",
        "Maximum number of connections to a host (default: the client's own limit).",
        valueName: "count", isOfFetch: true, isNumber: { Int($0) != nil },
        set: { text, values in
            values.settings.maximumConnections = try ConditionRequest.count(text, "--max-connections")
        }, text: { $0.settings.maximumConnections.map(String.init) },
        told: { $0.settings.maximumConnections.map { "at most \($0) connections to a host" } },
        compared: Compared("connections to a host") {
            $0.settings.maximumConnections.map(String.init) ?? "the client's own limit"
        },
        check: { settings, fields, place in
            fields.number(
                settings.maximumConnections, "settings.maximum_connections", place, to: .init(Limits.fetches))
        })

    package static let trials = Setting(
        "trials", "Trials of each case (default: 10).", isNumber: { Int($0) != nil },
        set: { text, values in values.trials = try number(text, in: 1...10_000, "--trials") },
        text: { "\($0.trials)" })

    private static let seed = Setting(
        "seed", "Seed for the order of trials and for synthetic assets (default: 1).", isNumber: { UInt64($0) != nil },
        set: { text, values in values.seed = try number(text, in: 0 ... .max, "--seed") },
        text: { "\($0.seed)" }, told: { "seed \($0.seed)" })

    private static let rate = Setting(
        "rate",
        "Bytes per second of each answer, such as 60MiB, of all (shared:1MiB), or unlimited (default: 60MiB).",
        isOfFetch: true, isOfOrigin: true,
        set: { text, values in
            // A small number probably lacks its unit; a trial at 60 bytes per second would take hours.
            let isTooSmall = text.split(separator: ":").last.flatMap { Int($0) }.map { $0 < 1024 } ?? false
            guard !isTooSmall, let rate = TransferRate(parsing: text) else {
                throw FetchBenchError(
                    usage:
                        "invalid --rate '\(SafeText.forTerminal(text))': expected bytes per second of each answer, such as "
                        + "60MiB, of all together, such as shared:200KiB, or unlimited")
            }
            values.settings.rate = rate.text
        }, text: { $0.settings.rate },
        told: { "origin at \($0.settings.rate)/s" + (latency.text($0).map { " after \($0)" } ?? "") },
        compared: Compared("pace of the origin") { $0.settings.rate })

    private static let latency = Setting(
        "latency",
        "Delay of the embedded origin before each response, such as 80ms; handshakes are not delayed (default: 0).",
        valueName: "duration", isOfFetch: true, isOfOrigin: true,
        set: { text, values in
            guard let latency = DurationText.nanoseconds(parsing: text), latency <= 10_000_000_000 else {
                throw FetchBenchError(
                    usage:
                        "invalid --latency '\(SafeText.forTerminal(text))': expected a duration up to 10s, such as 80ms"
                )
            }
            values.settings.latencyNanoseconds = latency == 0 ? nil : latency
        }, text: { $0.settings.latencyNanoseconds.map { DurationText.text(ofNanoseconds: $0) } },
        compared: Compared("latency of the origin") {
            DurationText.text(ofNanoseconds: $0.settings.latencyNanoseconds ?? 0)
        },
        check: { settings, fields, place in
            fields.number(settings.latencyNanoseconds, "settings.latency_ns", place, to: .init(Limits.duration))
        })

    private static let profile = Setting(
        "profile",
        "Preset for --rate and --latency (default: none); explicit flags win: \(NetworkProfile.all.map { "\($0.name) (\($0.source))" }.joined(separator: ", ")).",
        isOfFetch: true, isOfOrigin: true,
        set: { text, values in
            let profile = try WordList.resolve(text, kind: "profile", among: NetworkProfile.all, name: \.name)
            try rate.set(profile.rate, &values)
            try latency.set(DurationText.text(ofNanoseconds: profile.latencyNanoseconds), &values)
        })

    private static let timeout = Setting(
        "timeout", "Seconds after which a trial is killed (default: 60).", valueName: "seconds",
        isNumber: { Double($0) != nil },
        set: { text, values in
            values.settings.timeoutSeconds = try number(text, in: 0.1...604_800, "--timeout")
        },
        text: { values in
            // Without a fraction if there is none.
            let seconds = values.settings.timeoutSeconds
            return Int(exactly: seconds).map(String.init) ?? "\(seconds)"
        },
        check: { settings, fields, place in
            fields.figure(settings.timeoutSeconds, "settings.timeout_seconds", place, in: 0...longestTimeout)
        })
    /// The longest timeout in a stored run, in seconds: three months.
    private static let longestTimeout = 1e7

    private static let memoryLimit = Setting(
        "memory-limit",
        "Protect the machine: kill a trial that holds more than this without program pages, such as 4GiB (default: half of the machine's memory).",
        valueName: "size",
        set: { text, values in
            let limit = try ByteCount.limit(parsing: text, of: "--memory-limit")
            guard limit >= .mebibytes(1) else {
                throw FetchBenchError(
                    usage:
                        "invalid --memory-limit '\(SafeText.forTerminal(text))': expected at least 1MiB, such as 4GiB")
            }
            values.settings.memoryLimit = limit
        }, text: { $0.settings.memoryLimit.flatMap { $0 == TrialMemoryLimit.standard ? nil : $0.exactText } },
        told: { $0.settings.memoryLimit.map { "at most \(ByteText.mebibytes($0)) without program pages in a trial" } },
        check: { settings, fields, place in
            fields.size(settings.memoryLimit, "settings.memory_limit_bytes", place, to: .init(Limits.body))
        })

    private static let view = Setting(
        "view", "Size of the view that shows pictures: points and scale, or pixels (default: 390x844@3).",
        valueName: "size", isOfFetch: true,
        set: { text, values in
            let view = try ViewText.settings(parsing: text)
            values.settings.rendering.viewWidth = view.viewWidth
            values.settings.rendering.viewHeight = view.viewHeight
        },
        text: { ViewText.unusual($0.settings.rendering) },
        told: { ViewText.unusual($0.settings.rendering).map { "shown in a view of \($0) pixels" } },
        compared: Compared("view") { "\($0.settings.rendering)" },
        check: { settings, fields, place in
            let (rendering, most) = (settings.rendering, FieldChecks.Bound(Limits.count))
            fields.number(rendering.viewWidth, "settings.rendering.viewWidth", place, to: .init(1 << 31))
            fields.number(rendering.viewHeight, "settings.rendering.viewHeight", place, to: .init(1 << 31))
            fields.number(rendering.maximumPixels, "settings.rendering.maximumPixels", place, to: most)
            fields.number(rendering.maximumEncodedBytes, "settings.rendering.maximumEncodedBytes", place, to: most)
        })

    private static let maximumPixels = Setting(
        "max-pixels",
        "Largest picture to decode, such as 200MP or 200000000; it may have 2 bytes a pixel encoded (default: 100MP).",
        valueName: "pixels", isOfFetch: true,
        set: { text, values in
            guard let pixels = Self.pixels(parsing: text) else {
                throw FetchBenchError(
                    usage:
                        "invalid --max-pixels '\(SafeText.forTerminal(text))': expected a number of pixels up to 2000MP, such as "
                        + "200MP or 200000000")
            }
            values.settings.rendering.maximumPixels = pixels
            values.settings.rendering.maximumEncodedBytes = max(RenderSettings().maximumEncodedBytes, 2 * pixels)
        },
        text: { values in
            let pixels = values.settings.rendering.maximumPixels
            return pixels == RenderSettings().maximumPixels ? nil : "\(pixels)"
        })

    /// Parses a number of pixels or, with `MP`, of millions of them.
    private static func pixels(parsing text: String) -> Int? {
        let isMillions = text.hasSuffix("MP")
        guard let number = Int(isMillions ? String(text.dropLast(2)) : text), (1...2_000_000_000).contains(number),
            !isMillions || number <= 2000
        else { return nil }
        return isMillions ? number * 1_000_000 : number
    }

    private static let decoderMemory = Setting(
        "max-decode-memory",
        "Most memory that a decoder may use besides the picture; progressive JPEGs need much (default: 256MiB).",
        valueName: "size", isOfFetch: true,
        set: { text, values in
            let limit = try ByteCount.limit(parsing: text, of: "--max-decode-memory")
            guard (ByteCount.mebibytes(1) ... .mebibytes(1 << 20)).contains(limit) else {
                throw FetchBenchError(
                    usage:
                        "invalid --max-decode-memory '\(SafeText.forTerminal(text))': expected 1MiB to 1TiB, such as 1GiB"
                )
            }
            values.settings.rendering.maximumDecoderBytes = limit.rawValue
        }, text: { $0.settings.rendering.maximumDecoderBytes.map { ByteCount($0).exactText } },
        check: { settings, fields, place in
            fields.number(
                settings.rendering.maximumDecoderBytes, "settings.rendering.maximumDecoderBytes", place,
                to: .init(Limits.count))
        })

    private static let certificateAuthority = Setting(
        "cacert",
        "PEM file with the certificate authority of an https --url, for every client (default: the system's).",
        valueName: "file", isOfFetch: true, isPath: true,
        set: { text, values in
            guard !text.isEmpty else {
                throw FetchBenchError(usage: "invalid --cacert '': expected the path of a PEM file")
            }
            values.settings.certificateAuthority = text
        }, text: { $0.settings.certificateAuthority })

    private static let verification = Setting(
        "verify", "How to verify bodies: sha256 or length (default: sha256).", valueName: "how",
        choices: Verification.allCases.map(\.rawValue), isOfFetch: true, isOfServer: true,
        set: { text, values in
            values.settings.verification = try WordList.resolve(
                text, kind: "way to verify", among: Verification.allCases, name: \.rawValue)
        }, text: { $0.settings.verification.rawValue }, told: { "verified by \($0.settings.verification.rawValue)" },
        compared: Compared("verification") { $0.settings.verification.rawValue })

    private static let destinationFolder = Setting(
        "destination-folder",
        "Folder for --destination other (default: one on another file system than TMPDIR, such as /dev/shm).",
        valueName: "path", isOfFetch: true, isPath: true,
        set: { text, values in
            guard !text.isEmpty else {
                throw FetchBenchError(usage: "invalid --destination-folder '': expected the path of a folder")
            }
            values.settings.destinationFolder = text
        }, text: { $0.settings.destinationFolder })

    private static func number<Number: LosslessStringConvertible & Comparable>(
        _ text: String, in range: ClosedRange<Number>, _ flag: String
    ) throws -> Number {
        guard let number = Number(text) else {
            throw FetchBenchError(
                usage:
                    "invalid \(flag) '\(SafeText.forTerminal(text))': expected a number from \(range.lowerBound) to \(range.upperBound)"
            )
        }
        guard range.contains(number) else {
            throw FetchBenchError(
                usage: "invalid \(flag) '\(number)': expected a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }
}

extension ByteCount {
    /// Parses the size of a limit, above zero and with its unit: without one, 200 would be a limit of 200 bytes.
    package static func limit(parsing text: String, of flag: String) throws -> ByteCount {
        let words = SafeText.forTerminal(text)
        if let number = ByteCount(parsing: text), text.allSatisfy({ $0.isNumber || $0 == "." }) {
            throw FetchBenchError(
                usage:
                    "invalid \(flag) '\(words)': the unit is missing; write \(number.rawValue)MiB or \(number.rawValue)B"
            )
        }
        guard let size = ByteCount(parsing: text), size > .zero else {
            throw FetchBenchError(usage: "invalid \(flag) '\(words)': expected a size with a unit, such as 200MiB")
        }
        return size
    }
}
