// SPDX-License-Identifier: Apache-2.0

import Measuring
import OperatingSystem

extension ProgressVoice.Style {
    /// The style for this process: depends on its standard error and its environment.
    static func here(isShown: Bool) -> Self {
        guard isShown else { return .silent }
        return HarnessContext.here.drawsProgress ? .redrawn : .lines(every: interval)
    }

    /// The interval of lines in a log, from `FETCHBENCH_PROGRESS_SECONDS`; evaluated once, so that it warns once.
    private static let interval: Duration = {
        let name = "FETCHBENCH_PROGRESS_SECONDS"
        guard let text = HarnessContext.here.environment[name], !text.isEmpty else { return .seconds(30) }
        guard let seconds = Double(text), (0.1...86_400).contains(seconds) else {
            Console.warn("invalid \(name): expected seconds from 0.1 to 86400; progress is printed every 30 s")
            return .seconds(30)
        }
        return .seconds(seconds)
    }()
}
