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
