// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import MemProbe
import OperatingSystem
import Profiles
import Testing

@Suite("What the recorder is loaded into")
struct RecordedProcessTests {
    @Test("a command in Python is explained by name")
    func python() async throws {
        let program = "blocks = [bytearray(3 << 20) for _ in range(10)]; print(len(blocks))"
        let profile = try await Recorded("/usr/bin/python3", ["-c", program]).profile()
        let large = profile.holders.filter { $0.state == .live }.reduce(0) { $0 + $1.bytes }
        #expect(large >= 30 << 20)
        #expect(try #require(profile.stackShare) > 0.8)
    }

    @Test("a child that was forked has a recording of its own, with what it took over")
    func fork() async throws {
        let program = """
            import os
            block = bytearray(8 << 20)
            if os.fork() == 0:
                more = bytearray(4 << 20)
                del more
                os._exit(0)
            os.wait()
            """
        let recorded = try await Recorded("/usr/bin/python3", ["-c", program])
        #expect(Set(recorded.entries.map(\.peak.process)).count == 2)
        // The child holds what it has inherited and 4 MiB of its own.
        let held = recorded.entries.map { entry in
            ProfileBuilder(peak: entry.peak, baseline: nil).profile(
                of: "", allocator: "", explainedPeak: 0, plainPeak: nil, symbols: .none
            ).holders.filter { $0.state == .live && $0.bytes >= 4 << 20 }.reduce(0) { $0 + $1.bytes }
        }.sorted()
        #expect(held[0] >= 8 << 20 && held[0] < 9 << 20)
        #expect(held[1] >= 12 << 20 && held[1] < 13 << 20)
    }

    @Test("the kernel's mark is found behind the list of hundreds of groups", .enabled(if: getuid() == 0, "root alone"))
    func groups() async throws {
        let program = """
            import os
            os.setgroups(range(100000, 100900))
            block = bytearray(64 << 20)
            del block
            """
        let recorded = try await Recorded("/usr/bin/python3", ["-c", program])
        #expect(try #require(recorded.entries.first?.peak.finalHighWater) >= 64 << 20)
    }

    @Test("each program of a pipeline is recorded")
    func pipeline() async throws {
        let recorded = try await Recorded("/bin/sh", ["-c", "head -c 3000000 /dev/zero | sort | tail -c 1"])
        #expect(Set(recorded.entries.map(\.peak.process)).count >= 3)
    }

    @Test("a program without it has no recording, and that is said")
    func nothing() async throws {
        _ = try await TemporaryFolder.with(in: NSTemporaryDirectory()) { folder in
            #expect(throws: RecordingError.missing) { try RecordingFolder(path: folder).entries() }
        }
    }

    @Test("what was cut off is refused, wherever that was")
    func truncated() async throws {
        try await TemporaryFolder.with(in: NSTemporaryDirectory()) { folder in
            let libraries = Recorded.products + "/" + Recording.library
            let child = ChildLaunch(
                executable: Recorded.fixture, name: "recorded", arguments: ["mapped"],
                environment: ["LD_PRELOAD": libraries, "FETCHBENCH_RECORDER_FOLDER": folder], directory: folder,
                limit: .seconds(300))
            _ = try await child.run()
            let name = try #require(
                FileManager.default.contentsOfDirectory(atPath: folder).first { $0.hasSuffix(".peak") })
            let whole = try #require(FileManager.default.contents(atPath: folder + "/" + name))
            for count in [0, 4, 100, whole.count / 3, whole.count - 1] {
                try whole.prefix(count).write(to: URL(fileURLWithPath: folder + "/" + name))
                #expect(throws: RecordingError.truncated) { try RecordingFolder(path: folder).entries() }
            }
            // The end is there, and the middle is not.
            try (whole.prefix(whole.count / 2) + whole.suffix(8)).write(to: URL(fileURLWithPath: folder + "/" + name))
            #expect(throws: RecordingError.self) { try RecordingFolder(path: folder).entries() }
            try Data("something else entirely".utf8).write(to: URL(fileURLWithPath: folder + "/" + name))
            #expect(throws: RecordingError.malformed("it does not begin as a recording does")) {
                try RecordingFolder(path: folder).entries()
            }
        }
    }
}
