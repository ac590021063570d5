// SPDX-License-Identifier: Apache-2.0

import Support

extension ProgressVoice.Style {
    /// That of this process: what its standard error is, and what it was asked for.
    static func here(isShown: Bool) -> Self {
        guard isShown else { return .silent }
        return Console.drawsProgress ? .redrawn : .lines(every: Surroundings.progressInterval)
    }
}
