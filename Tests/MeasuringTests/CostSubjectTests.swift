// SPDX-License-Identifier: Apache-2.0

import Foundation
import Measuring
import MemProbe
import Runs
import Testing
import TrialKit

/// In which mode a program fetches its first 1 KiB.
@Suite struct CostSubjectTests {
    private func mode(of modes: FakeMode...) -> String? {
        let description = ProgramDescription(
            modes: modes, renderModels: FakeModel.all, allocator: AllocatorIdentity(name: "glibc"))
        return CostSubject(TrialExecutable(path: "/trial", description: description), linkage: .dynamic).mode?.name
    }

    private let none = FakeMode(name: "none", abilities: [.concurrency])
    private let sync = FakeMode(name: "sync", abilities: [.concurrency, .gzip])
    private let data = FakeMode(name: "data", abilities: [.concurrency, .connectionLimit])

    @Test func theFirstThatBlocksNothingIsTaken() {
        let other = FakeMode(name: "other", abilities: [.concurrency, .cancellation])
        #expect(mode(of: none, sync, data, other) == "data")
    }

    @Test func theSizeOfItsFileIsKnownWhereItIsThere() throws {
        let description = ProgramDescription(
            modes: FakeMode.all, renderModels: FakeModel.all, allocator: AllocatorIdentity(name: "glibc"))
        let size = { (path: String) in
            CostRow(CostSubject(TrialExecutable(path: path, description: description), linkage: .dynamic)).binary
        }
        try withTemporaryFolder { folder in
            try Data(repeating: 1, count: 4_097).write(to: URL(fileURLWithPath: folder + "/trial"))
            #expect(size(folder + "/trial") == ByteCount(4_097))
            #expect(size(folder + "/none") == nil, "absent is no zero")
        }
    }

    @Test func theFirstIsTakenWhereAllBlock() {
        #expect(mode(of: none, sync, FakeMode(name: "raw")) == "sync")
    }

    @Test func whatCannotFetchTextOverHTTPIsNotTaken() {
        let secure = FakeMode(name: "secure", schemes: ["https"], abilities: [.concurrency])
        let upload = FakeMode(name: "upload", abilities: [.concurrency], need: .sink)
        let text = FakeMode(name: "text", need: .text)
        #expect(mode(of: none, secure, upload, text) == "text")
        #expect(mode(of: none, secure, upload) == nil)
    }
}
