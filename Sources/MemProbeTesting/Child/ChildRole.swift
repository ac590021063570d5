// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// What this process is: a child that runs one case, or nobody's child.
package enum ChildRole: Sendable {
    /// Tests run as usual, and limits are measured in children.
    case parent
    /// One case of one test runs, and is measured.
    case child(ChildRequest, ChildFolder)
    /// It was started as a child and does not know of what: nothing may run in it, nor may it start children.
    case lost

    static let current = ChildRole(
        variable: ProcessInfo.processInfo.environment[ChildFolder.variable], parent: starter())

    /// The process that started this one: between the two stands a keeper, which ends this one with it.
    private static func starter() -> Int32 {
        let stat = FileManager.default.contents(atPath: "/proc/\(getppid())/stat") ?? Data()
        // The name before the state and the parent may hold blanks and brackets.
        let words = String(decoding: stat, as: UTF8.self).split(separator: ")").last?.split(separator: " ") ?? []
        return words.count > 1 ? Int32(words[1]) ?? 0 : 0
    }

    /// Reads the role.
    ///
    /// A child's own children inherit the variable and are no children of a limit: the number in it is another one.
    package init(variable: String?, parent: Int32) {
        guard let variable, let colon = variable.firstIndex(of: ":"), Int32(variable[..<colon]) == parent else {
            self = .parent
            return
        }
        let folder = ChildFolder(path: String(variable[variable.index(after: colon)...]))
        guard let data = FileManager.default.contents(atPath: folder.request),
            let request = try? JSONDecoder().decode(ChildRequest.self, from: data)
        else {
            self = .lost
            return
        }
        self = .child(request, folder)
    }
}
