// SPDX-License-Identifier: Apache-2.0

import Foundation
import MemProbe
import Testing

@Suite(.ownThreads) struct AllocatorTests {
    static let size = 32 << 20
    static let preload = "/usr/lib/x86_64-linux-gnu/libjemalloc.so.2"
    static let hasJemalloc = FileManager.default.fileExists(atPath: preload)
    static let isGlibc = AllocatorIdentity.current.name == "glibc"

    /// Unoptimised code allocates where optimised code does not.
    #if DEBUG
        static let isOptimised = false
    #else
        static let isOptimised = true
    #endif

    /// The difference from the size that was allocated, as a part of it.
    private func deviation(_ answers: Fixture.Answers, _ name: String) throws -> Double {
        abs(Double(try answers.number(name) - Self.size)) / Double(Self.size)
    }

    @Test(.enabled(if: isGlibc), arguments: [size, 8192])
    func glibcCountsWhatWasAllocated(block: Int) throws {
        let answers = try Fixture.run("allocate", "\(Self.size)", "\(block)")
        #expect(answers["name"] == "glibc")
        #expect(answers["version"]?.hasPrefix("2.") == true)
        #expect(try deviation(answers, "allocated") < 0.01)
        #expect(try deviation(answers, "mapped") < 0.01)
        #expect(abs(try answers.number("freed")) < Self.size / 100)
        #expect(answers["has-active"] == "false" && answers["has-retained"] == "false")
        #expect(answers["purged"] == "true")
    }

    @Test(.enabled(if: hasJemalloc), arguments: [size, 8192])
    func jemallocIsRecognisedAndCountsWhatWasAllocated(block: Int) throws {
        let answers = try Fixture.run(
            "allocate", "\(Self.size)", "\(block)", environment: ["LD_PRELOAD=\(Self.preload)"])
        #expect(answers["name"] == "jemalloc")
        #expect(answers["version"]?.hasPrefix("5.") == true)
        #expect(try deviation(answers, "allocated") < 0.01)
        #expect(abs(try answers.number("freed")) < Self.size / 100)
        #expect(answers["has-active"] == "true" && answers["has-retained"] == "true")
        #expect(answers["opt.dirty_decay_ms"] == "10000")
        #expect(answers["purged"] == "true")
        if block < Self.size {
            #expect(try answers.number("resident-after-purge") < -Self.size * 9 / 10)
        }
    }

    @Test(.enabled(if: hasJemalloc))
    func jemallocReportsTheSettingsThatAreInForce() throws {
        let answers = try Fixture.run(
            "allocate", "\(Self.size)",
            environment: ["LD_PRELOAD=\(Self.preload)", "MALLOC_CONF=narenas:1,dirty_decay_ms:0,muzzy_decay_ms:7"])
        #expect(answers["opt.narenas"] == "1")
        #expect(answers["opt.dirty_decay_ms"] == "0")
        #expect(answers["opt.muzzy_decay_ms"] == "7")
        #expect(answers["opt.background_thread"] == "false")
    }

    @Test(.enabled(if: hasJemalloc && isOptimised))
    func noCallBetweenMarksAllocates() throws {
        let answers = try Fixture.run("allocations", "100", environment: ["LD_PRELOAD=\(Self.preload)"])
        #expect(try answers.number("control") >= 4096, "the count sees an allocation")
        for name in ["resident", "peak", "quiet", "statistics"] {
            #expect(try answers.number(name) == 0, "\(name)")
        }
    }

    @Test(.enabled(if: isGlibc))
    func glibcReportsTheTunablesItWasStartedWith() throws {
        let pinned = try Fixture.run("allocate", "65536", environment: ["MALLOC_MMAP_THRESHOLD_=131072"])
        #expect(pinned["glibc.malloc.mmap_threshold"] == "131072")
        let plain = try Fixture.run("allocate", "65536")
        #expect(plain["glibc.malloc.mmap_threshold"] == nil)
    }

    @Test func tunablesAreReadFromBothSpellings() {
        let environment =
            "PATH=/bin\0GLIBC_TUNABLES=glibc.malloc.arena_max=1:glibc.cpu.x=2:glibc.malloc.top_pad=9"
            + "\0MALLOC_ARENA_MAX=4\0MALLOC_TRIM_THRESHOLD_=65536\0MALLOC_TOP_PAD_=\0nonsense\0"
        #expect(
            GlibcTunables(parsingEnvironment: environment).values == [
                "glibc.malloc.arena_max": "1", "glibc.malloc.top_pad": "9", "glibc.malloc.trim_threshold": "65536",
            ])
    }

    @Test func statisticsOfThisProcessAreThere() throws {
        guard ["glibc", "jemalloc"].contains(AllocatorIdentity.current.name) else { return }
        let statistics = try #require(AllocatorStatistics.read())
        #expect(statistics.allocated > .zero)
        let data = try JSONEncoder().encode(statistics)
        #expect(try JSONDecoder().decode(AllocatorStatistics.self, from: data) == statistics)
    }

    @Test(arguments: [
        ("always [madvise] never\n", "madvise"), ("[always] madvise never\n", "always"), ("", nil), ("always", nil),
        ("[]", nil), ("[never", nil), ("]never[", nil),
    ])
    func theModeOfHugePagesIsTheWordInBrackets(text: String, mode: String?) {
        #expect(TransparentHugePages.selectedWord(of: text) == mode)
    }
}
