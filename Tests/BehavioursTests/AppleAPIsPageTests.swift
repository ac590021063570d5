// SPDX-License-Identifier: Apache-2.0

import Behaviours
import Foundation
import Testing

/// The page about Apple's APIs names rows of the behaviour table in the fourth column of its tables.
@Suite struct AppleAPIsPage {
    private static let page = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "docs/apple-apis.md")

    @Test func everyRowThatItNamesExists() throws {
        let text = try String(contentsOf: Self.page, encoding: .utf8)
        let lines = text.split(separator: "\n").map { $0.split(separator: "|") }
        let names = lines.filter { $0.count == 4 }.flatMap { columns in
            columns[3].matches(of: /`([^`]+)`/).map { String($0.1) }
        }
        #expect(names.count > 40)
        let known = Set(BehaviourCatalog.all.map(\.name))
        #expect(names.filter { !known.contains($0) } == [])
    }
}
