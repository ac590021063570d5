// SPDX-License-Identifier: Apache-2.0

import MemProbe
import Testing

struct TraceParsingTests {
    /// A thread of the process that started it, or a process of its own: `CLONE_THREAD` says which.
    @Test func theFlagsOfACloneTellAThreadFromAChild() {
        // The flags that pthread_create, fork and posix_spawn of glibc pass.
        #expect(ThreadIdentity(11, startedIn: 7, cloneFlags: 0x3D0F00) == ThreadIdentity(process: 7, parent: 7))
        for flags: UInt64 in [0x0120_0011, 0x4111, 0] {
            #expect(ThreadIdentity(11, startedIn: 7, cloneFlags: flags) == ThreadIdentity(process: 11, parent: 7))
        }
    }

    @Test func aThreadSaysWhoseItIs() throws {
        let text = "Name:\tTgid: 7\nUmask:\t0022\nTgid:\t4711\nNgid:\t0\nPid:\t4712\nPPid:\t1\nTracerPid:\t9\n"
        #expect(try ThreadIdentity(parsing: text) == ThreadIdentity(process: 4711, parent: 1))
    }

    @Test(arguments: [
        ("", "Tgid"), ("Tgid:\t1\n", "PPid"), ("Tgid:\tx\nPPid:\t1\n", "Tgid"),
        ("Tgid:\t1\nPPid:\t99999999999\n", "PPid"),
    ])
    func malformedStatusThrows(text: String, source: String) {
        #expect(throws: MemProbeError(.malformed, source: source)) { try ThreadIdentity(parsing: text) }
    }

    private static let stat =
        "815 (a) b (c)) S 1 815 815 0 -1 4194304 100 0 0 0 1 2 0 0 20 0 3 0 1000 8192 50 18446744073709551615 "
        + "1 2 140721234567890 0 0 0"

    @Test func aPolledProcessMayHaveAnyName() throws {
        let stat = try PolledStat(parsing: Self.stat)
        #expect(stat.name == "a) b (c)")
        #expect(!stat.isZombie)
        #expect(stat.parent == 1)
        #expect(stat.threads == 3)
        #expect(stat.stackStart == 140_721_234_567_890)
    }

    @Test func aZombieIsSeen() throws {
        #expect(try PolledStat(parsing: Self.stat.replacing(") S 1", with: ") Z 1")).isZombie)
    }

    @Test(arguments: ["", "1 a S", "1 )a( S 1", "1 (a) S", "1 (a) S x", "1 (a) S 1 1 1 0 -1 0 0 0"])
    func malformedStatThrows(text: String) {
        #expect(throws: MemProbeError(.malformed, source: "stat")) { try PolledStat(parsing: text) }
    }

    @Test(arguments: 1...24)
    func aWordIsFoundWhereverItIsCut(length: Int) {
        #expect(Self.finds("7f00 r-xp /usr/lib/libjemalloc.so.2\n", inPartsOf: length))
        #expect(Self.finds("libjemallibjemalloc", inPartsOf: length))
        #expect(!Self.finds("libjemal libjemallo cmalloc libjemall", inPartsOf: length))
    }

    private static func finds(_ text: String, inPartsOf length: Int) -> Bool {
        var search = LiteralSearch("libjemalloc")
        let bytes = Array(text.utf8)
        return stride(from: 0, to: bytes.count, by: length).contains { start in
            let part = Array(bytes[start..<min(start + length, bytes.count)])
            return search.finds(in: part.span)
        }
    }
}
