// SPDX-License-Identifier: Apache-2.0

import CommandConsole

/// `fetchbench behaviours`: becomes the program that has them, with the same arguments.
struct BehaviourCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "behaviours", abstract: BehaviourOptions.abstract, discussion: BehaviourOptions.discussion)

    @OptionGroup
    var options: BehaviourOptions

    func run() throws { try CommandMain.becomeOwn("fetchbench-behaviours", for: "`fetchbench behaviours`") }
}
