// SPDX-License-Identifier: Apache-2.0

/// A setting for all trials of a plan, such as `--latency`: its names, parsing, texts, comparison and check.
///
/// Flags, suite keys, obstacles of plain commands, printed commands, reports and the comparability of runs are derived
/// from the list ``all``.
package struct Setting: Sendable {
    /// The flag, without its dashes.
    package let flag: String
    /// The placeholder for the value in the help of the flag.
    package let valueName: String
    /// The help of the flag.
    package let help: String
    /// The possible values; empty for numbers and other forms of text.
    package let choices: [String]
    /// Returns true if a text is a number; `nil` if the value need not be one.
    package let isNumber: (@Sendable (String) -> Bool)?
    /// True if the setting applies only to fetches.
    package let isOfFetch: Bool
    /// True if the setting configures the embedded origin.
    package let isOfOrigin: Bool
    /// True if the value is a path, which is redacted where it is stored or printed.
    package let isPath: Bool
    /// Parses a value and stores it.
    let set: @Sendable (String, inout SettingValues) throws(PlanMistake) -> Void
    /// Returns the value as it is typed, or `nil` for the default.
    package let text: @Sendable (SettingValues) -> String?
    /// Returns the text of the value in a report, or `nil` for none.
    package let told: @Sendable (SettingValues) -> String?
    /// The property that makes runs incomparable if it differs, or `nil`.
    package let compared: Compared?
    /// Checks a stored value.
    let check: @Sendable (TrialSettings, inout FieldChecks, FieldChecks.Place) -> Void

    /// A value in the comparison of runs.
    package struct Compared: Sendable {
        /// The name of the compared property.
        package let name: String
        package let text: @Sendable (SettingValues) -> String

        init(_ name: String, _ text: @escaping @Sendable (SettingValues) -> String) {
            self.name = name
            self.text = text
        }
    }

    init(
        _ flag: String, _ help: String, valueName: String? = nil, choices: [String] = [], isOfFetch: Bool = false,
        isOfOrigin: Bool = false, isPath: Bool = false, isNumber: (@Sendable (String) -> Bool)? = nil,
        set: @escaping @Sendable (String, inout SettingValues) throws(PlanMistake) -> Void,
        text: @escaping @Sendable (SettingValues) -> String? = { _ in nil },
        told: @escaping @Sendable (SettingValues) -> String? = { _ in nil }, compared: Compared? = nil,
        check: @escaping @Sendable (TrialSettings, inout FieldChecks, FieldChecks.Place) -> Void = { _, _, _ in }
    ) {
        self.flag = flag
        self.valueName = valueName ?? flag
        self.help = help
        self.choices = choices
        self.isPath = isPath
        self.isNumber = isNumber
        self.isOfFetch = isOfFetch
        self.isOfOrigin = isOfOrigin
        self.set = set
        self.text = text
        self.told = told
        self.compared = compared
        self.check = check
    }

    /// The key of suites.
    package var suiteKey: String { String(flag.map { $0 == "-" ? "_" : $0 }) }

    /// Returns the flag and the value that reproduce the setting; empty for the default.
    package func words(of values: SettingValues) -> [String] {
        text(values).map { ["--" + flag, $0] } ?? []
    }
}

/// The values of all settings.
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
    /// - Parameters:
    ///   - flags: The values given by flag.
    ///   - suite: The values given by suite key.
    package init(flags: [String: String], suite: [String: String] = [:]) throws(PlanMistake) {
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
    package func checkAuthority(of url: String?) throws(PlanMistake) {
        guard settings.certificateAuthority == nil || url?.hasPrefix("https://") == true else {
            throw PlanMistake("--cacert needs an https --url; the embedded origin has its own authority")
        }
    }

    /// Rejects settings that only the embedded origin can apply.
    package func checkForeignURL() throws(PlanMistake) {
        guard settings.latencyNanoseconds == nil else {
            throw PlanMistake(
                "--latency and --profile configure the embedded origin and cannot be combined with --url")
        }
    }
}
