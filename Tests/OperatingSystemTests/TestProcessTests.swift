// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

@Suite(.ownThreads) struct TestProcessTests {
    @Test func itsEndAndItsStreamsAreKept() throws {
        let script = "cat; pwd; echo \"$WORD\" >&2; exit 3"
        let ended = try TestProcess.run(
            "/bin/sh", ["-c", script], environment: ["WORD": "a word"], in: "/usr", input: Array("given\n".utf8))
        #expect(ended.status == 3)
        #expect(ended.text == "given\n/usr\n")
        #expect(ended.complaint == "a word\n")
    }

    @Test func aSignalIsItsStatus() throws {
        let process = try TestProcess("/bin/sleep", ["100"])
        #expect(process.isRunning && process.end() == nil)
        process.send(SIGTERM)
        #expect(try process.end(within: 60).status == -SIGTERM)
        process.send(SIGKILL)
    }

    @Test func slowChildrenAreKilled() throws {
        let process = try TestProcess("/bin/sh", ["-c", "echo begun; exec sleep 100"])
        while process.output.isEmpty { usleep(1000) }
        #expect { try process.end(within: 0.01) } throws: { "\($0)".contains("begun") }
        #expect(try process.end(within: 60).status == -SIGKILL)
    }

    @Test func itEndsWithItsLastReference() throws {
        let identifier = try TestProcess("/bin/sleep", ["100"]).identifier
        #expect(kill(identifier, 0) == -1 && errno == ESRCH)
    }

    /// Foundation's keeps two for each child, until a test process has more than its run can bear.
    @Test func noDescriptorOfAChildStaysOpen() throws {
        let script = "import os; print(len(os.listdir('/proc/%d/fd' % os.getppid())))"
        func descriptors() throws -> Int {
            try #require(
                Int(TestProcess.run("/usr/bin/python3", ["-c", script]).text.trimmingCharacters(in: .newlines)))
        }
        let before = try descriptors()
        for _ in 0..<200 { _ = try TestProcess.run("/bin/true") }
        // Other tests of this process open some meanwhile.
        #expect(try descriptors() < before + 200)
    }

    /// Not even what says nothing of `exec`: a file that is open for writing cannot be started.
    @Test func noOtherDescriptorIsInherited() throws {
        let descriptor = open("/dev/null", O_WRONLY)
        defer { close(descriptor) }
        let script = "import os; print(sorted(os.listdir('/proc/self/fd')))"
        let listing = try TestProcess.run("/usr/bin/python3", ["-c", script]).text
        // The fourth is that of the listing itself.
        #expect(listing == "['0', '1', '2', '3']\n")
    }

    @Test func programsThatCannotStartAreNamed() {
        #expect { try TestProcess("/nonexistent/program") } throws: { "\($0)".contains("/nonexistent/program") }
        #expect {
            try TestProcess.tool("/nonexistent/program", of: "a-package", [])
        } throws: { "\($0)".contains("a-package") }
    }
}
