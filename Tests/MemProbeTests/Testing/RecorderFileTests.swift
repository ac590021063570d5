// SPDX-License-Identifier: Apache-2.0

import MemProbeTesting
import Testing

/// Where the recorder is looked for.
struct RecorderFileTests {
    private static let name = "libAllocationRecorder.so"

    private static func find(
        _ environment: [String: String], program: String? = "/p/tests.xctest", files: Set<String>
    ) throws -> String {
        try RecorderFile.find(environment: environment, program: program, isThere: files.contains).path
    }

    @Test func theVariableComesFirst() throws {
        let files: Set = ["/x/my.so", "/p/\(Self.name)"]
        #expect(try Self.find(["FETCHBENCH_RECORDER": "/x/my.so"], files: files) == "/x/my.so")
        #expect(try Self.find([:], files: files) == "/p/\(Self.name)")
    }

    @Test func anInstalledFetchbenchHasIt() throws {
        let path = ["PATH": "/bin:/opt/f/bin:/usr/bin"]
        #expect(
            try Self.find(path, files: ["/opt/f/bin/fetchbench", "/opt/f/bin/\(Self.name)"])
                == "/opt/f/bin/\(Self.name)")
        let library = "/opt/f/lib/fetchbench/\(Self.name)"
        #expect(try Self.find(path, files: ["/opt/f/bin/fetchbench", library]) == library)
        #expect(throws: RecorderFile.Missing.self) { _ = try Self.find(path, files: [library]) }
    }

    @Test(arguments: [
        (["FETCHBENCH_RECORDER": "/none.so"], "/none.so, which cannot be read"), ([:], "--product AllocationRecorder"),
        (["FETCHBENCH_RECORDER": "/a b.so"], "a space or a colon"),
    ])
    func whatIsMissingIsSaid(environment: [String: String], words: String) {
        let missing = #expect(throws: RecorderFile.Missing.self) { _ = try Self.find(environment, files: ["/a b.so"]) }
        #expect(missing?.reason.contains(words) == true)
    }
}
