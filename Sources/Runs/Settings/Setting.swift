// SPDX-License-Identifier: Apache-2.0

/// What holds for all trials of a plan, such as `--latency`: how it is named everywhere, parsed, told, compared and checked.
///
/// ``all`` is the one list: the flags of the command line, the keys of suites, what a plain command is refused, the commands
/// that are printed to be repeated, what reports say and what makes runs incomparable follow from it.
package struct Setting: Sendable {
    /// The flag, without its dashes.
    package let flag: String
    /// What the value stands for in the help of the flag.
    package let valueName: String
    /// What it says, as the help of the flag.
    package let help: String
    /// The words that the value can be; none where it is a number or a text of another form.
    package let choices: [String]
    /// Whether a text is a number, where the value has to be one.
    package let isNumber: (@Sendable (String) -> Bool)?
    /// Whether only what is fetched can be told it.
    package let isOfFetch: Bool
    /// Whether it is the embedded origin that is told it.
    package let isOfOrigin: Bool
    /// The value of a text, put among the others.
    /// - Throws: ``PlanMistake`` where the text is none.
    let set: @Sendable (String, inout SettingValues) throws(PlanMistake) -> Void
    /// The value as it is typed, or `nil` where it says nothing.
    package let text: @Sendable (SettingValues) -> String?
    /// What a report says of the value, or `nil` for nothing.
    package let told: @Sendable (SettingValues) -> String?
    /// What makes two runs incomparable where it differs, and what it is; `nil` where nothing does.
    package let compared: Compared?
    /// Looks for what no stored value can be.
    let check: @Sendable (TrialSettings, inout FieldChecks, FieldChecks.Place) -> Void

    /// The value as a comparison names it.
    package struct Compared: Sendable {
        /// What differs.
        package let name: String
        /// The value.
        package let text: @Sendable (SettingValues) -> String

        init(_ name: String, _ text: @escaping @Sendable (SettingValues) -> String) {
            self.name = name
            self.text = text
        }
    }

    /// One that sets what `set` says.
    init(
        _ flag: String, _ help: String, valueName: String? = nil, choices: [String] = [], isOfFetch: Bool = false,
        isOfOrigin: Bool = false, isNumber: (@Sendable (String) -> Bool)? = nil,
        set: @escaping @Sendable (String, inout SettingValues) throws(PlanMistake) -> Void,
        text: @escaping @Sendable (SettingValues) -> String? = { _ in nil },
        told: @escaping @Sendable (SettingValues) -> String? = { _ in nil }, compared: Compared? = nil,
        check: @escaping @Sendable (TrialSettings, inout FieldChecks, FieldChecks.Place) -> Void = { _, _, _ in }
    ) {
        self.flag = flag
        self.valueName = valueName ?? flag
        self.help = help
        self.choices = choices
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

    /// The words that ask for the same again; none where the value says nothing.
    package func words(of values: SettingValues) -> [String] {
        text(values).map { ["--" + flag, $0] } ?? []
    }
}

/// What settings are set to.
package struct SettingValues: Hashable, Sendable {
    /// How many trials each case gets.
    package var trials: Int
    /// What orders the trials and fills synthetic assets.
    package var seed: UInt64
    /// How trials are done.
    package var settings: TrialSettings

    /// Those of a plan.
    package init(_ plan: Plan) {
        trials = plan.trials
        seed = plan.seed
        settings = plan.settings
    }

    /// Those that are asked for: a flag wins over a suite, and a figure over a profile.
    /// - Parameters:
    ///   - flags: what was given of each setting, by its flag.
    ///   - suite: what a suite asks for, by its key.
    /// - Throws: ``PlanMistake`` for a text that makes no sense.
    package init(flags: [String: String], suite: [String: String] = [:]) throws(PlanMistake) {
        (trials, seed, settings) = (10, 1, TrialSettings(memoryLimit: MemoryLimit.standard))
        // From the last to the first: a profile stands behind the figures that it gives, which have the last word.
        for setting in Setting.all.reversed() where flags[setting.flag] == nil {
            if let text = suite[setting.suiteKey] { try setting.set(text, &self) }
        }
        for setting in Setting.all.reversed() {
            if let text = flags[setting.flag] { try setting.set(text, &self) }
        }
    }

    /// Refuses what only the embedded origin can do.
    package func checkForeignURL() throws(PlanMistake) {
        guard settings.latencyNanoseconds == nil else {
            throw PlanMistake(
                "--latency and --profile tell the embedded origin how to answer; what --url names decides that itself")
        }
    }
}
