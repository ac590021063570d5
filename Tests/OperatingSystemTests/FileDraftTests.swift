// SPDX-License-Identifier: Apache-2.0

import Foundation
import OperatingSystem
import Testing

struct FileDraftTests {
    @Test func whatIsNotFinishedLeavesWhatWasThere() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/file"
            try WholeFile.write("old", to: path, name: "file")
            do {
                let draft = try FileDraft(of: path, name: "file")
                try draft.append("half of a new ")
            }
            #expect(try String(contentsOfFile: path, encoding: .utf8) == "old")
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["file"])
        }
    }

    /// Whoever may write into the folder could otherwise have any file of the user overwritten.
    @Test func aLinkOfTheDraftsNameIsNotFollowed() async throws {
        try await withTemporaryFolder { folder in
            let (path, other) = (folder + "/file", folder + "/other")
            try WholeFile.write("precious", to: other, name: "other")
            try FileManager.default.createSymbolicLink(atPath: path + ".tmp", withDestinationPath: other)
            try WholeFile.write("new", to: path, name: "file")
            #expect(try String(contentsOfFile: other, encoding: .utf8) == "precious")
            #expect(try String(contentsOfFile: path, encoding: .utf8) == "new")
            #expect(try FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType == .typeRegular)
        }
    }

    @Test func whatIsFinishedIsThereWhole() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/file"
            let draft = try FileDraft(of: path, name: "file")
            try draft.append("one, ")
            try draft.append("two")
            try draft.finish()
            #expect(try String(contentsOfFile: path, encoding: .utf8) == "one, two")
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["file"])
        }
    }
}
