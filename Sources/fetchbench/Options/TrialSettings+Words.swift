// SPDX-License-Identifier: Apache-2.0

import FetchBenchKit
import MemProbe

extension TrialSettings {
    /// The flag that asks for the memory limit, where it is not what this machine has by itself.
    var memoryLimitFlag: [String] {
        guard let memoryLimit, memoryLimit != MemoryLimit.standard else { return [] }
        return ["--memory-limit", memoryLimit.exactText]
    }
}
