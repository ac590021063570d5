// SPDX-License-Identifier: Apache-2.0

import Runs

extension AllocatorArm {
    /// Those of commands and of fetchbench's own modes, none of which brings an allocator.
    static let ofCommands = allCases.filter { $0 != .own }
}
