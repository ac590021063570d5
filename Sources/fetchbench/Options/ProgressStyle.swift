// SPDX-License-Identifier: Apache-2.0

import Measuring
import OperatingSystem

extension ProgressVoice.Style {
    /// That of this process: what its standard error is, and what it was asked for.
    static func here(isShown: Bool) -> Self {
        guard isShown else { return .silent }
        return HarnessContext.here.drawsProgress ? .redrawn : .lines(every: interval)
    }

    /// How often a log gets a line while something takes long: 30 s, or what `FETCHBENCH_PROGRESS_SECONDS` says.
    ///
    /// Found once in the life of a process, as it is complained of once.
    private static let interval: Duration = {
        let name = "FETCHBENCH_PROGRESS_SECONDS"
        guard let text = HarnessContext.here.environment[name], !text.isEmpty else { return .seconds(30) }
        guard let seconds = Double(text), (0.1...86_400).contains(seconds) else {
            Console.warn("\(name) is no number of seconds between 0.1 and 86400: progress is told every 30 s")
            return .seconds(30)
        }
        return .seconds(seconds)
    }()
}
