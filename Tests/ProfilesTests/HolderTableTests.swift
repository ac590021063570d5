// SPDX-License-Identifier: Apache-2.0

import Profiles
import Testing

struct HolderTableTests {
    @Test func saysWhatHoldsHowItCameThereAndEndsWithTheKernelsFigure() throws {
        let table = HolderTable(SampleProfile.complete)
        #expect(table.rows[0].what == "grow(by:), Decoder.swift:60")
        #expect(table.rows[0].chain == "swift_allocObject")
        #expect(table.rows[1].what == "decode(_:), Decoder.swift:41 — copied from by realloc")
        #expect(table.rows[2].what == "main, main.swift:1 — freed, kept by the allocator")
        #expect(table.rows[2].chain == "realloc ← __CFDataGrow")
        #expect(table.rows.last?.what == "the kernel's figure")
        #expect(table.rows.last?.share == 1)
        #expect(table.rows.dropLast().last?.what == "unattributed")
        #expect(table.rows.dropLast().last?.bytes == -12_345)
        #expect(table.rows.contains { $0.what == "mapped files (libc.so.6)" && $0.bytes == 300_000 })
    }

    @Test(arguments: [0, 1, 3, 100]) func hasRowsThatSumToTheLastOneWhateverTheLimit(limit: Int) throws {
        let profile = SampleProfile.complete
        let table = HolderTable(profile, limit: limit)
        #expect(table.rows.dropLast().reduce(0) { $0 + $1.bytes } == profile.explainedPeak)
        let other = table.rows.first { $0.what.hasPrefix("other stacks") }
        // One of six is too small for a row.
        #expect(other?.what == "other stacks (\(6 - min(limit, 5)))")
    }

    @Test func sumsWhatIsLessThanAThousandthOfTheFigureInOneRow() {
        let frames = (1...4).map { (line: Int) in SampleProfile.frame("f\(line)", "main.swift", line) }
        let sizes = [1_000_000, 900, -900, -2000]
        let stacks = zip(frames, sizes).map { SampleProfile.Stack(frames: [SampleProfile.allocate, $0], bytes: $1) }
        let table = HolderTable(
            SampleProfile.profile(stacks, residues: [Residue(.stacks, bytes: 5000), Residue(.stacks, bytes: 300)]))
        #expect(table.rows.map(\.bytes) == [1_000_000, -2000, 0, 5000, 300, 0, 1_003_300])
        #expect(table.rows[2].what == "other stacks (2)")
    }

    @Test func foldsStacksThatReachTheSameOwnLineTheSameWay() {
        let other = SampleProfile.frame("other", "main.swift", 9)
        let stacks = [SampleProfile.main, other].map { outer in
            SampleProfile.Stack(frames: [SampleProfile.allocate, SampleProfile.decode, outer], bytes: 10)
        }
        let table = HolderTable(SampleProfile.profile(stacks))
        #expect(table.rows.map(\.bytes) == [20, 0, 20])
    }

    @Test func tellsStacksOfTheSystemByTheirCallers() {
        let stack = ["realloc", "grow", "append", "byAppending", "didReceive"].map { SampleProfile.frame($0) }
        let table = HolderTable(SampleProfile.profile([.init(frames: stack, bytes: 10)]))
        #expect(table.rows[0].what == "grow (libsystem.so)")
        #expect(table.rows[0].chain == "← append ← byAppending ← didReceive")
    }

    @Test func leavesOutTheMiddleOfALongChain() {
        let stack = (1...9).map { SampleProfile.frame("f\($0)") } + [SampleProfile.main]
        let table = HolderTable(SampleProfile.profile([.init(frames: stack, bytes: 10)]))
        #expect(table.rows[0].chain == "f1 ← f2 ← f3 ← f4 ← … ← f7 ← f8 ← f9")
    }

    @Test func warnsWhereTheRecorderChangedThePeakOrLostBlocksAndNotElse() {
        func warnings(plain: Int?, lost: Int = 0) -> [String] {
            HolderTable(
                SampleProfile.profile(
                    [.init(frames: [SampleProfile.main], bytes: 100 << 20)], plainPeak: plain, lostCount: lost)
            ).warnings
        }
        #expect(warnings(plain: nil).isEmpty)
        #expect(warnings(plain: 104 << 20).isEmpty)
        #expect(warnings(plain: 96 << 20).isEmpty)
        #expect(warnings(plain: 106 << 20).first?.contains("100.0 MiB, and 106.0 MiB without") == true)
        #expect(warnings(plain: 94 << 20).count == 1)
        #expect(warnings(plain: nil, lost: 3).first?.hasPrefix("3 blocks did not fit") == true)
    }

    @Test func doesNotWarnOfSmallPeaksThatDifferLittle() {
        func warning(_ explained: Int, plain: Int) -> String? {
            HolderTable(
                SampleProfile.profile(
                    [.init(frames: [SampleProfile.main], bytes: explained << 10)], plainPeak: plain << 10)
            ).warnings.first
        }
        #expect(warning(200, plain: 220) == nil)
        #expect(warning(200, plain: 456) == nil)
        #expect(warning(200, plain: 460)?.contains("reached 0.20 MiB, and 0.45 MiB without") == true)
        #expect(warning(1400, plain: 900)?.contains("reached 1.4 MiB, and 0.88 MiB without") == true)
    }

    @Test(arguments: [
        (0, "0.0 MiB"), (100, "0.1 KiB"), (-12_345, "-12 KiB"), (104_857, "102 KiB"), (104_858, "0.1 MiB"),
        (1 << 20, "1.0 MiB"), (-3 << 20, "-3.0 MiB"),
    ])
    func saysSmallSizesInKiB(bytes: Int, text: String) {
        #expect(SizeText.text(bytes) == text)
        let table = HolderTable(SampleProfile.profile([.init(frames: [SampleProfile.main], bytes: bytes)]))
        #expect(table.plain.split(separator: "\n")[1].trimmingPrefix { $0 == " " }.hasPrefix(text + " "))
    }

    @Test func isDrawnForATerminal() {
        let profile = SampleProfile.profile(
            [.init(frames: [SampleProfile.allocate, SampleProfile.decode, SampleProfile.main], bytes: 15 << 20)],
            residues: [Residue(.stacks, bytes: 1 << 20)], unattributed: 4 << 20)
        #expect(
            HolderTable(profile).plain == """
                    held    share  by
                15.0 MiB   75.0 %  decode(_:), Decoder.swift:41
                                     swift_allocObject
                 1.0 MiB    5.0 %  stacks and data of threads
                 4.0 MiB   20.0 %  unattributed
                20.0 MiB  100.0 %  the kernel's figure

                Call stacks hold 75.0 % of the figure.

                The recorder saw 4116 allocations, walked 512 stacks and looked at all blocks 7
                times in 0.013 s; its own 3.0 MiB are in no row.

                """)
    }

    @Test(arguments: SampleProfile.hostileNames)
    func letsNoNameActOnATerminalOrInADocument(name: String) {
        let table = HolderTable(SampleProfile.hostile(name))
        for line in table.plain.split(separator: "\n") {
            #expect(!line.unicodeScalars.contains { $0.properties.generalCategory == .control || $0 == "\u{202E}" })
        }
        #expect(!table.markdown.contains("<script"))
        let cells = table.markdown.split(separator: "\n").filter { $0.hasPrefix("| ") }
        #expect(cells.allSatisfy { $0.replacing("\\|", with: "").count { $0 == "|" } == 4 })
    }
}

struct HolderProfileTests {
    @Test(arguments: [100, 60, 40]) func rowsAndTheRemainderSumToTheKernelsFigure(rows: Int) {
        let profile = Self.profile(peak: 100, held: rows - 10, residue: 10)
        #expect(profile.unattributed == 100 - rows)
    }

    @Test func sayHowMuchCallStacksHoldNotHowMuchIsInRows() throws {
        // The allocator's row is the remainder of the stacks, so the rows sum up however little is known.
        let profile = Self.profile(peak: 100, held: 30, residue: 70)
        #expect(profile.unattributed == 0)
        #expect(profile.stackShare == 0.3)
        #expect(try #require(ProfileRemarks.headline(of: profile)).contains("30.0 %"))
        #expect(profile.json.contains("\"stackShare\" : 0.3"))
    }

    @Test func thatWereFreedAreToldApartInTheShareOfCallStacks() throws {
        var profile = Self.profile(peak: 100, held: 60, residue: 0)
        profile.holders.append(Holder(stack: [0], bytes: 20, blockCount: 1, state: .freed))
        #expect(profile.stackShare == 0.8)
        #expect(profile.freedShare == 0.2)
        let headline = try #require(ProfileRemarks.headline(of: profile))
        #expect(headline.contains("80.0 %") && headline.contains("20.0 %"))
    }

    @Test func areDoubtfulWhereTheRemainderIsTheLargestOfThem() {
        func warnings(held: Int, residue: Int) -> Int {
            ProfileRemarks.warnings(
                on: Self.profile(peak: 100 << 20, held: held << 20, residue: residue << 20)
            ).count
        }
        #expect(warnings(held: 90, residue: 10) == 0)
        #expect(warnings(held: 49, residue: 51) == 1)
        #expect(warnings(held: 120, residue: -20) == 1)
        #expect(warnings(held: 40, residue: 0) == 1)
        #expect(warnings(held: 110, residue: 0) == 1)
        var oneOfSeven = Self.profile(peak: 100 << 20, held: 90 << 20, residue: 10 << 20)
        oneOfSeven.tree = HolderProfile.Tree(processes: 7, bytes: 600 << 20)
        #expect(ProfileRemarks.warnings(on: oneOfSeven).contains { $0.contains("7 processes") })
    }

    @Test func explainNothingWhereNothingGrew() {
        #expect(Self.profile(peak: 0, held: 0, residue: 0).stackShare == nil)
    }

    static func profile(peak: Int, held: Int, residue: Int) -> HolderProfile {
        HolderProfile(
            subject: "case", allocator: "glibc", explainedPeak: peak,
            frames: [HolderFrame(function: "f()", module: "program", file: "f.swift", line: 3)],
            holders: [Holder(stack: [0], bytes: held, blockCount: 1)], residues: [Residue(.allocator, bytes: residue)],
            recorder: HolderProfile.RecorderAccount(
                ownBytes: 0, allocationCount: 1, stackCount: 1, captureCount: 1, lostCount: 0, nanoseconds: 0))
    }
}

/// A library that is driven by a timer in one build and by a socket in the other, where both exist in both.
struct CallerNettingTests {
    private typealias Stack = SampleProfile.Stack
    private let mebibyte = SampleProfile.mebibyte
    private let plant = SampleProfile.frame("plant()", "Plant.swift", 3)
    private let timer = [SampleProfile.frame("timer_fired"), SampleProfile.frame("loop"), SampleProfile.main]
    private let socket = [SampleProfile.frame("socket_ready"), SampleProfile.frame("loop"), SampleProfile.main]

    private func driven(_ inner: [HolderFrame], by callers: [HolderFrame], _ mebibytes: Int) -> Stack {
        Stack(frames: [SampleProfile.allocate] + inner + callers, bytes: mebibytes * mebibyte)
    }

    private func profile(_ stacks: [Stack], callersAreCommon: Bool = true) -> HolderProfile {
        let common = [timer, socket].map { driven([], by: $0, 4) }
        return SampleProfile.profile((callersAreCommon ? common : [driven([], by: [SampleProfile.main], 8)]) + stacks)
    }

    @Test(arguments: [true, false]) func isNoDifferenceWhetherBothCallInBothBuildsOrNot(callersAreCommon: Bool) {
        let base = profile([driven([SampleProfile.decode], by: timer, 8)], callersAreCommon: callersAreCommon)
        let head = profile([driven([SampleProfile.decode], by: socket, 8)], callersAreCommon: callersAreCommon)
        #expect(HolderDifference(base: base, head: head).findings.isEmpty)
        #expect(HolderDifference(base: head, head: base).findings.isEmpty)
        #expect(HolderDifference(base: base, head: head).other == 0)
    }

    @Test(arguments: [true, false]) func doesNotHideAMebibyteBesideItBelowTheSameCallerOrAnother(callersAreCommon: Bool)
    {
        let base = profile([driven([SampleProfile.decode], by: timer, 8)], callersAreCommon: callersAreCommon)
        for callers in [timer, socket, [SampleProfile.main]] {
            let head = profile(
                [driven([SampleProfile.decode], by: socket, 8), driven([plant], by: callers, 1)],
                callersAreCommon: callersAreCommon)
            let found = HolderDifference(base: base, head: head)
            #expect(found.headline == "+1.0 MiB in plant(), Plant.swift:3")
            #expect(found.findings.first?.stackCount == 1)
            #expect(found.total == mebibyte)
            #expect(HolderDifference(base: head, head: base).headline == "-1.0 MiB in plant(), Plant.swift:3")
        }
    }

    @Test func isWhatHasGrownThereOnce() {
        let found = HolderDifference(
            base: profile([driven([SampleProfile.decode], by: timer, 8)]),
            head: profile([driven([SampleProfile.decode], by: socket, 11)]))
        #expect(found.findings.map(\.text) == ["+3.0 MiB in decode(_:), Decoder.swift:41"])
        #expect(found.other == 0)
    }

    @Test func givesWhatIsLeftBelowTheLimitToTheOthers() {
        var later = driven([SampleProfile.decode], by: socket, 8)
        later.bytes += 1000
        let found = HolderDifference(
            base: profile([driven([SampleProfile.decode], by: timer, 8)]), head: profile([later]))
        #expect(found.findings.isEmpty)
        #expect(found.other == 1000)
    }

    @Test func isTwoFindingsWhereItIsNotTheSameCodeThatAllocates() {
        let found = HolderDifference(
            base: profile([driven([SampleProfile.decode], by: timer, 8)]),
            head: profile([driven([plant, SampleProfile.decode], by: socket, 8)]))
        #expect(found.findings.map(\.bytes).sorted() == [-8 * mebibyte, 8 * mebibyte])
        let other = HolderDifference(
            base: profile([driven([SampleProfile.decode], by: timer, 8)]),
            head: profile([driven([plant], by: socket, 8)]))
        #expect(
            Set(other.findings.map(\.text)) == [
                "-8.0 MiB in decode(_:), Decoder.swift:41", "+8.0 MiB in plant(), Plant.swift:3",
            ])
    }

    @Test func leavesAsTheCauseOfAGrowthWhatNothingHasGoneFor() {
        let encode = SampleProfile.frame("encode()", "Encoder.swift", 7)
        let base = profile([driven([SampleProfile.decode], by: timer, 8)])
        let exchanged = HolderDifference(base: base, head: profile([driven([encode], by: timer, 8)]))
        #expect(exchanged.cause(ofGrowth: true)?.text == "+8.0 MiB in encode(), Encoder.swift:7")
        #expect(exchanged.cause(ofGrowth: false)?.text == "-8.0 MiB in decode(_:), Decoder.swift:41")
        let grown = HolderDifference(
            base: base, head: profile([driven([encode], by: timer, 8), driven([plant], by: socket, 1)]))
        #expect(grown.cause(ofGrowth: true)?.text == "+1.0 MiB in plant(), Plant.swift:3")
    }
}

/// The lines of `smaps`, of which some have names that a program gave its memory.
struct MappingTests {
    /// Not every kernel knows such names: these lines are those of one that does.
    @Test(arguments: [
        ("", true), ("[anon:mimalloc]", true), ("[anon: glibc: malloc arena]", true), ("[heap]", false),
        ("[stack]", false),
        ("/usr/lib/libc.so.6", false),
    ])
    func memoryWithANameIsTheProcesssOwn(path: String, isAnonymous: Bool) throws {
        let text = "7f0000000000-7f0000400000 rw-p 00000000 00:00 0    \(path)\nRss:  4096 kB\nAnonymous:  4096 kB\n"
        let mapping = try #require(try Mapping.parse(text[...].utf8).first)
        #expect(mapping.path == path && mapping.isAnonymous == isAnonymous)
        #expect(mapping.resident == 4 << 20 && mapping.anonymous == 4 << 20)
    }
}
