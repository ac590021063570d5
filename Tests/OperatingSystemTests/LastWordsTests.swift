// SPDX-License-Identifier: Apache-2.0

import Testing
import Texts

/// What is kept of a crash is its reason: recorded texts of standard error, with Swift 6.3.1 and glibc 2.36.
@Suite struct LastWordsTests {
    /// What the runtime's backtracer adds, with most of its registers and images left out.
    private static func report(_ signal: Int, _ crash: String) -> String {
        """

        *** Signal \(signal): Backtracing from 0x7f63026f9361... done ***

        *** Program crashed: \(crash) at 0x00007f63026f9361 ***

        Platform: x86_64 Linux (Debian GNU/Linux 12 (bookworm))

        Thread 0 "fetchbench" crashed:

          0  0x00007f63026f9361 _assertionFailure(_:_:file:line:flags:) + 225 in libswiftCore.so
        ...

        Registers:

        rax 0x0000000000000000  0
        r15 0x0000000000000000  0

        Images (2 omitted):

        0x00007f6302400000–0x00007f63029d2d40 b521f25f libswiftCore.so /opt/swift/usr/lib/swift/linux/libswiftCore.so

        Backtrace took 0.04s


        """
    }

    @Test(arguments: [
        ("Swift/NativeDictionary.swift:792: Fatal error: Duplicate values for key: '1'\n", ""),
        (
            "Swift/NativeDictionary.swift:792: Fatal error: Duplicate values for key: '1'\n",
            report(4, "Illegal instruction")
        ),
        ("Fatal error: Duplicate values for key: '1': file NativeDictionary.swift, line 792\n", ""),
        (
            "Fatal error: Duplicate values for key: '1': file /home/a/b/NativeDictionary.swift, line 792\n",
            report(4, "x")
        ),
        ("/home/a/b/NativeDictionary.swift:792: Fatal error: Duplicate values for key: '1'\nmore\n", ""),
        ("warming up\nSwift/NativeDictionary.swift:792: Fatal error: Duplicate values for key: '1'\n", ""),
    ])
    func aTrapOfSwiftIsItsMessageWithFileAndLine(said: String, report: String) {
        #expect(
            LastWords.reason(in: said + report, limit: 400)
                == "Fatal error: Duplicate values for key: '1': file NativeDictionary.swift, line 792")
    }

    @Test func aTrapWithoutAPlaceIsItsMessage() {
        #expect(LastWords.reason(in: "Fatal error\n", limit: 400) == "Fatal error")
        #expect(LastWords.reason(in: "a: Fatal error: no\n", limit: 400) == "Fatal error: no")
    }

    @Test(arguments: [
        ("munmap_chunk(): invalid pointer\n" + report(6, "Aborted"), "munmap_chunk(): invalid pointer"),
        (report(6, "Aborted") + "curl: (56) reset by peer\n", "curl: (56) reset by peer"),
        (report(11, "Bad pointer dereference"), "Program crashed: Bad pointer dereference"),
        (
            "\n💣 Program crashed: Illegal instruction at 0x0000561\n\nThread 0 crashed:\n",
            "Program crashed: Illegal instruction"
        ),
        ("note: one\ncurl: (7) Failed to connect\n\n  \n", "curl: (7) Failed to connect"),
        ("", ""), ("\n \n", ""),
    ])
    func whatElseWasSaidIsItsLastLineAndNeverThatOfTheBacktracer(text: String, reason: String) {
        #expect(LastWords.reason(in: text, limit: 400) == reason)
        #expect(!LastWords.reason(in: text, limit: 400).contains("Backtrace took"))
    }

    @Test func aReasonIsCutAtItsEnd() {
        #expect(
            LastWords.reason(in: "a/b.swift:1: Fatal error: \(String(repeating: "x", count: 900))", limit: 20)
                == "Fatal error: xxxxxxx")
    }
}
