// SPDX-License-Identifier: Apache-2.0

import Foundation
import Measuring
import Testing

struct TrialFolderTests {
    @Test func everyTrialHasAPathOfTheSameLength() async throws {
        try await withTemporaryFolder { parent in
            var paths: [String] = []
            for number in [1, 42, 999_999] {
                paths.append(
                    try await TrialFolder.with("t", number, in: parent) { path in
                        #expect(FileManager.default.fileExists(atPath: path))
                        return path
                    })
            }
            #expect(Set(paths).count == 3 && Set(paths.map(\.utf8.count)).count == 1)
            #expect(try FileManager.default.contentsOfDirectory(atPath: parent).isEmpty)
        }
    }

    @Test func itIsGoneAfterAFailureWithAllThatIsInIt() async throws {
        try await withTemporaryFolder { parent in
            await #expect(throws: CocoaError.self) {
                try await TrialFolder.with("t", 1, in: parent) { path in
                    try Data("x".utf8).write(to: URL(fileURLWithPath: path + "/body"))
                    _ = try Data(contentsOf: URL(fileURLWithPath: path + "/missing"))
                }
            }
            let left = try FileManager.default.contentsOfDirectory(atPath: parent)
            #expect(left.isEmpty)
        }
    }
}
