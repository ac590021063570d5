// SPDX-License-Identifier: Apache-2.0

import CommandConsole

/// The flags for the conditions of a fetch: one for each dimension of the plan.
///
/// Derived from the list of dimensions: the parser finds options by reflection and decodes them by the same names, and
/// this type reflects and decodes one for each entry.
struct ConditionOptions: ParsableArguments, CustomReflectable {
    private var options: [Option<[String]>]

    init() {
        options = Dimension.all.map { dimension in
            Option(
                wrappedValue: [], name: .customLong(dimension.flag),
                help: ArgumentHelp(
                    "\(dimension.help)", valueName: dimension.valueName,
                    // Those of servers alone are in the help of `endpoint`.
                    visibility: dimension.subjects.contains(.fetch) ? .default : .hidden),
                completion: Self.completion(of: dimension))
        }
    }

    /// The shell completion: the choices of a dimension, or what trial programs and their scenarios declare.
    private static func completion(of dimension: Dimension) -> CompletionKind {
        switch dimension.flag {
        case "scenario": .listed(.scenarios)
        case "loader": .listed(.loaders)
        default: .list(dimension.choices)
        }
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: ListedKey.self)
        options = try Dimension.all.map { dimension in
            try container.decode(Option<[String]>.self, forKey: ListedKey(stringValue: dimension.suiteKey))
        }
    }

    var customMirror: Mirror {
        Mirror(self, children: zip(Dimension.all, options).map { (label: "_" + $0.suiteKey, value: $1) })
    }

    /// Adds values of a dimension to those that are given.
    mutating func add(_ values: [String], to flag: String) {
        for index in options.indices where Dimension.all[index].flag == flag { options[index].wrappedValue += values }
    }

    var words: [String: [String]] {
        let given = zip(Dimension.all, options).filter { !$1.wrappedValue.isEmpty }
        return Dictionary(uniqueKeysWithValues: given.map { ($0.flag, $1.wrappedValue) })
    }
}

protocol SettingChoice {
    static var settings: [Setting] { get }
}

enum EverySetting: SettingChoice {
    static let settings = Setting.all
}

/// The flags for the settings of trials: one for each that the command accepts.
///
/// Derived from the list of settings, as ``ConditionOptions`` are from the list of dimensions.
struct SettingOptions<Choice: SettingChoice>: ParsableArguments, CustomReflectable {
    private var options: [Option<String?>]

    init() {
        options = Choice.settings.map { setting in
            Option(
                name: .customLong(setting.flag), help: ArgumentHelp("\(setting.help)", valueName: setting.valueName),
                completion: setting.choices.isEmpty ? nil : .list(setting.choices),
                transform: { text in
                    guard setting.isNumber?(text) ?? true else { throw ValidationError("expected a number") }
                    return text
                })
        }
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: ListedKey.self)
        options = try Choice.settings.map { setting in
            try container.decode(Option<String?>.self, forKey: ListedKey(stringValue: setting.suiteKey))
        }
    }

    var customMirror: Mirror {
        Mirror(self, children: zip(Choice.settings, options).map { (label: "_" + $0.suiteKey, value: $1) })
    }

    var words: [String: String] {
        let given = zip(Choice.settings, options).compactMap { setting, option in
            option.wrappedValue.map { (setting.flag, $0) }
        }
        return Dictionary(uniqueKeysWithValues: given)
    }
}

/// The key of an option that is derived from an entry of a list.
struct ListedKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }

    init?(intValue: Int) { nil }
}
