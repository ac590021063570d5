// SPDX-License-Identifier: Apache-2.0

import Runs

extension PlanRequest {
    /// The inputs of trials that no record stores.
    package var subjects: TrialHost.Subjects {
        let commands = modes.compactMap(\.command)
        return TrialHost.Subjects(
            url: words.url, details: details,
            commands: Dictionary(commands.map { ($0.name, $0) }) { first, _ in first }, programs: programs,
            named: words.programs, parameters: parameters.all)
    }
}
