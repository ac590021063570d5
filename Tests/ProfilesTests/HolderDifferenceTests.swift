// SPDX-License-Identifier: Apache-2.0

import Profiles
import Statistics
import Testing

struct HolderDifferenceTests {
    private typealias Stack = SampleProfile.Stack
    private let mebibyte = SampleProfile.mebibyte
    private let main = SampleProfile.main
    private let decode = SampleProfile.decode
    private let allocate = SampleProfile.allocate
    private let run = SampleProfile.frame("run()", "main.swift", 20)
    private var common: Stack { Stack(frames: [allocate, run, main], bytes: 64 * mebibyte) }

    private func stack(_ frames: HolderFrame...) -> Stack { Stack(frames: frames, bytes: 16 * mebibyte) }

    private func difference(_ base: [Stack], _ head: [Stack]) -> HolderDifference {
        HolderDifference(base: SampleProfile.profile(base), head: SampleProfile.profile(head))
    }

    @Test func namesANewFunctionWithItsLineAndIsNothingForEqualProfiles() {
        let found = difference([common], [common, stack(allocate, decode, run, main)])
        #expect(found.findings.map(\.text) == ["+16.0 MiB in decode(_:), Decoder.swift:41"])
        #expect(found.headline == "+16.0 MiB in decode(_:), Decoder.swift:41")
        #expect(found.findings.first?.frame == decode)
        #expect(found.total == 16 * mebibyte && found.other == 0)
        let none = difference([common], [common])
        #expect(none.findings.isEmpty)
        #expect(none.headline == "no stack differs by 0.6 MiB or more; in all 0.0 MiB")
    }

    @Test func isOneFindingForEverythingNewBelowOneFunction() {
        let inner = SampleProfile.frame("helper()", "Helper.swift", 5)
        let found = difference(
            [common],
            [
                common, Stack(frames: [allocate, inner, decode, run, main], bytes: 9 * mebibyte),
                Stack(frames: [allocate, SampleProfile.frame("copy"), decode, run, main], bytes: 6 * mebibyte),
                Stack(frames: [allocate, decode, run, main], bytes: mebibyte),
            ])
        #expect(found.findings.map(\.text) == ["+16.0 MiB in decode(_:), Decoder.swift:41"])
        #expect(found.findings.first?.stackCount == 3)
    }

    @Test func namesWhatWasWrittenByPeopleWhereTheFirstDivergenceWasNot() {
        let queue = SampleProfile.frame("_dispatch_worker")
        let below = difference([common], [common, stack(allocate, decode, queue, main)])
        #expect(below.findings.map(\.frame) == [decode])
        let above = difference([common], [common, Stack(frames: [allocate, queue, run, main], bytes: 4 * mebibyte)])
        #expect(above.findings.map(\.frame) == [run])
        let thread = SampleProfile.frame("start_thread")
        let nobody = difference(
            [common, Stack(frames: [allocate, thread], bytes: 100)],
            [common, Stack(frames: [allocate, SampleProfile.frame("copy"), queue, thread], bytes: 4 * mebibyte)])
        #expect(nobody.findings.map(\.text) == ["+4.0 MiB in _dispatch_worker (libsystem.so)"])
    }

    @Test func matchesWhatIsInTheProgramItselfWhateverItsFileIsCalled() {
        func stacks(in module: String, more: Int) -> [Stack] {
            var (own, place) = (run, SampleProfile.frame("\(module)+0x57a3a"))
            own.module = module
            place.module = module
            return [Stack(frames: [allocate, place, own, main], bytes: (64 + more) * mebibyte)]
        }
        #expect(difference(stacks(in: "old", more: 0), stacks(in: "new", more: 0)).findings.isEmpty)
        #expect(difference(stacks(in: "old", more: 0), stacks(in: "new", more: 8)).total == 8 * mebibyte)
        let libraries = difference(stacks(in: "libold.so.1", more: 0), stacks(in: "libnew.so.1", more: 0))
        #expect(libraries.findings.count == 2)
    }

    @Test func namesAFunctionThatHasGrownOrGone() {
        let old = stack(allocate, decode, main)
        let new = Stack(frames: [allocate, decode, main], bytes: 48 * mebibyte)
        #expect(difference([common, old], [common, new]).headline == "+32.0 MiB in decode(_:), Decoder.swift:41")
        #expect(difference([common, old], [common]).headline == "-16.0 MiB in decode(_:), Decoder.swift:41")
    }

    @Test func doesNotSeeALineThatMoved() {
        var moved = decode
        moved.line = 43
        let old = stack(allocate, decode, main)
        #expect(difference([old], [stack(allocate, moved, main)]).findings.isEmpty)
        let grown = difference([old], [Stack(frames: [allocate, moved, main], bytes: 20 * mebibyte)])
        #expect(grown.headline == "+4.0 MiB in decode(_:), Decoder.swift:43")
        // A second call in the same function is the one that is new.
        let second = difference([old], [old, Stack(frames: [allocate, moved, main], bytes: 3 * mebibyte)])
        #expect(second.headline == "+3.0 MiB in decode(_:), Decoder.swift:43")
    }

    @Test func ignoresTheFunctionsThatOneBuildInlines() {
        let (grow, reserve) = (SampleProfile.frame("_consumeAndCreateNew"), SampleProfile.frame("reserve"))
        let inner = SampleProfile.frame("specialized " + decode.function, "Decoder.swift", 41)
        #expect(difference([stack(allocate, decode, main)], [stack(allocate, inner, main)]).findings.isEmpty)
        let found = difference(
            [common, stack(allocate, grow, decode, main)],
            [common, stack(allocate, grow, reserve, inner, decode, main), stack(allocate, grow, run, decode, main)])
        #expect(found.findings.map(\.text) == ["+16.0 MiB in run(), main.swift:20"])
    }

    @Test func showsBothOfTwoStacksThatReplaceEachOther() {
        let encode = SampleProfile.frame("encode()", "Encoder.swift", 7)
        let found = difference([common, stack(allocate, decode, main)], [common, stack(allocate, encode, main)])
        #expect(
            Set(found.findings.map(\.text)) == [
                "-16.0 MiB in decode(_:), Decoder.swift:41", "+16.0 MiB in encode(), Encoder.swift:7",
            ])
        #expect(found.total == 0)
    }

    @Test func tellsDepthsOfRecursionApart() {
        let deep = [allocate] + Array(repeating: decode, count: 2000) + [main]
        let found = difference(
            [Stack(frames: [allocate, decode, main], bytes: mebibyte)],
            [Stack(frames: [allocate, decode, main], bytes: mebibyte), Stack(frames: deep, bytes: 8 * mebibyte)])
        #expect(found.headline == "+8.0 MiB in decode(_:), Decoder.swift:41")
        #expect(found.findings.count == 1)
    }

    @Test func sumsWhatIsTooSmallButNotWhereItIsLargeTogether() {
        func scattered(_ count: Int, _ bytes: Int) -> [Stack] {
            (0..<count).map { Stack(frames: [SampleProfile.frame("f\($0)"), decode, main], bytes: bytes) }
        }
        let few = difference([common] + scattered(2, 1), [common] + scattered(2, 100_000))
        #expect(few.findings.isEmpty)
        #expect(few.other == 199_998)
        #expect(few.limit == (64 * mebibyte + 200_000) / 100)
        let many = difference([common] + scattered(100, 1), [common] + scattered(100, 100_001))
        #expect(many.findings.map(\.text) == ["+9.5 MiB in decode(_:), Decoder.swift:41"])
        #expect(many.findings.first?.stackCount == 100)
    }

    @Test func comparesWithAnEmptyProfileStackByStack() {
        let stacks = [common, stack(allocate, decode, main)]
        let found = difference([], stacks)
        #expect(found.findings.map(\.frame) == [run, decode])
        #expect(difference(stacks, []).findings.map(\.bytes) == [-64 * mebibyte, -16 * mebibyte])
        #expect(difference([], []).findings.isEmpty)
        let alone = difference([], [Stack(frames: [], bytes: mebibyte)])
        #expect(alone.total == alone.other + alone.findings.reduce(0) { $0 + $1.bytes })
    }

    @Test func saysOfMemoryThatNoStackHoldsWhatItIs() {
        let base = SampleProfile.profile([common], residues: [Residue(.files, name: "libc.so.6", bytes: mebibyte)])
        let head = SampleProfile.profile(
            [common],
            residues: [
                Residue(.files, name: "libc.so.6", bytes: mebibyte),
                Residue(.files, name: "libz.so", bytes: 2 * mebibyte),
                Residue(.stacks, bytes: mebibyte),
            ], unattributed: 3 * mebibyte)
        let found = HolderDifference(base: base, head: head)
        #expect(
            found.findings.map(\.text) == [
                "+3.0 MiB, unattributed", "+2.0 MiB, mapped files (libz.so)", "+1.0 MiB, stacks and data of threads",
            ])
        #expect(found.findings.allSatisfy { $0.frame == nil })
    }

    @Test(arguments: 0..<50) func alwaysSumsToTheDifferenceOfTheKernelsFigures(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let base = SampleProfile.profile(stacks(&generator), unattributed: .random(in: -9999...9999, using: &generator))
        let head = SampleProfile.profile(stacks(&generator), unattributed: .random(in: -9999...9999, using: &generator))
        let found = HolderDifference(base: base, head: head)
        #expect(found.total == head.explainedPeak - base.explainedPeak)
        #expect(found.findings.reduce(found.other) { $0 + $1.bytes } == found.total)
        #expect(found.findings.allSatisfy { $0.bytes.magnitude >= found.limit.magnitude })
        let back = HolderDifference(base: head, head: base)
        #expect(back.findings.map(\.bytes).sorted() == found.findings.map { -$0.bytes }.sorted())
    }

    @Test(arguments: SampleProfile.hostileNames)
    func letsNoNameActOnATerminalOrInADocument(name: String) {
        let found = HolderDifference(base: SampleProfile.profile([common]), head: SampleProfile.hostile(name))
        let table = HolderDifferenceTable(found)
        #expect(!table.plain.unicodeScalars.contains { $0 != "\n" && $0.properties.generalCategory == .control })
        #expect(!table.markdown.contains("<script"))
    }

    @Test func isDrawnAsATable() {
        let found = difference([common], [common, stack(allocate, SampleProfile.frame("grow"), decode, main)])
        #expect(
            HolderDifferenceTable(found).plain == """
                difference  where
                 +16.0 MiB  decode(_:), Decoder.swift:41: swift_allocObject ← grow
                   0.0 MiB  other, each below 0.8 MiB
                 +16.0 MiB  the kernel's figure

                """)
    }

    private func stacks(_ generator: inout SeededGenerator) -> [Stack] {
        let functions = (0..<4).map { SampleProfile.frame("f\($0)", $0 % 2 == 0 ? "f.swift" : nil, $0) }
        return (0..<12).map { _ in
            let depth = Int.random(in: 0..<5, using: &generator)
            let frames = (0..<depth).map { _ in functions.randomElement(using: &generator) ?? main }
            return Stack(frames: frames, bytes: .random(in: -200_000...3_000_000, using: &generator))
        }
    }
}
