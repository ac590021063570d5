// SPDX-License-Identifier: Apache-2.0

import Runs

extension PlanWords {
    /// Refuses flags and suite keys of fetches for plain commands, which have no asset, renderer or conditions.
    /// - Throws: ``PlanMistake`` that names the flag or the key.
    func checkNothingOfAFetch(with commands: [ExternalCommand]) throws(PlanMistake) {
        guard let command = commands.first, let word = flagOfAFetch ?? keyOfAFetch else { return }
        let name = CommandText.safe(command.name)
        throw PlanMistake(
            "\(word) does not apply to command \(name), which has no {url} and fetches nothing. Omit \(word), or add {url} "
                + "to the command; its budgets are written '\(name): peak <= 200 MiB'")
    }

    /// The first given flag that only applies to fetches.
    private var flagOfAFetch: String? {
        let lists = [("--asset", assets), ("--render", renders)].first { !$0.1.isEmpty }?.0
        let setting = Setting.all.first { $0.isOfFetch && settings[$0.flag] != nil }.map { "--" + $0.flag }
        let condition = Dimension.all.first { !(conditions[$0.flag] ?? []).isEmpty }.map { "--" + $0.flag }
        let request = request.isEmpty ? nil : "--header"
        return lists ?? (url == nil ? nil : "--url") ?? setting ?? condition ?? request
    }

    /// The first key of the suite that only applies to fetches.
    private var keyOfAFetch: String? {
        guard let suite else { return nil }
        let lists: [(SuiteFile.Key, [String]?)] = [(.assets, suite.assets), (.renders, suite.renders)]
        let key = lists.first { $0.1 != nil }?.0
        let setting = Setting.all.first { $0.isOfFetch && suite.settings[$0.suiteKey] != nil }?.suiteKey
        let condition = Dimension.all.first { suite.conditions[$0.suiteKey] != nil }?.suiteKey
        return (key?.rawValue ?? setting ?? condition).map { "the suite's key '\($0)'" }
    }
}
