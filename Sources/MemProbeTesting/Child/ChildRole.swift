// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// The role of this process.
package enum ChildRole: Sendable {
    /// Runs tests normally and measures limits in children.
    case parent
    /// Runs and measures one case of one test.
    case child(ChildRequest, ChildFolder)
    /// Was started as a child but cannot read its request, so it must neither run tests nor start children.
    case lost

    static let current = ChildRole(
        variable: ProcessInfo.processInfo.environment[ChildFolder.variable], parent: starter())

    /// Returns the process that started this one, which is the parent of this one's keeper.
    private static func starter() -> Int32 {
        let stat = FileManager.default.contents(atPath: "/proc/\(getppid())/stat") ?? Data()
        // The name before the state and the parent may contain spaces and parentheses.
        let words = String(decoding: stat, as: UTF8.self).split(separator: ")").last?.split(separator: " ") ?? []
        return words.count > 1 ? Int32(words[1]) ?? 0 : 0
    }

    /// Parses the role.
    ///
    /// A child's own children inherit the variable, but their parent is not the one that it names.
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
