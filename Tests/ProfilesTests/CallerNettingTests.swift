// SPDX-License-Identifier: Apache-2.0

import Profiles
import Testing

/// A library that is driven by a timer in one build and by a socket in the other, where both exist in both.
@Suite("What other callers have reached")
struct CallerNettingTests {
    private typealias Stack = SampleProfile.Stack
    private let mebibyte = SampleProfile.mebibyte
    private let plant = SampleProfile.frame("plant()", "Plant.swift", 3)
    private let timer = [SampleProfile.frame("timer_fired"), SampleProfile.frame("loop"), SampleProfile.main]
    private let socket = [SampleProfile.frame("socket_ready"), SampleProfile.frame("loop"), SampleProfile.main]

    private func driven(_ inner: [HolderFrame], by callers: [HolderFrame], _ mebibytes: Int) -> Stack {
        Stack(frames: [SampleProfile.allocate] + inner + callers, bytes: mebibytes * mebibyte)
    }

    /// What the callers do in both builds, and the stacks.
    private func profile(_ stacks: [Stack], callersAreCommon: Bool = true) -> HolderProfile {
        let common = [timer, socket].map { driven([], by: $0, 4) }
        return SampleProfile.profile((callersAreCommon ? common : [driven([], by: [SampleProfile.main], 8)]) + stacks)
    }

    @Test("is no difference, whether both call in both builds or not", arguments: [true, false])
    func nothing(callersAreCommon: Bool) {
        let base = profile([driven([SampleProfile.decode], by: timer, 8)], callersAreCommon: callersAreCommon)
        let head = profile([driven([SampleProfile.decode], by: socket, 8)], callersAreCommon: callersAreCommon)
        #expect(HolderDifference(base: base, head: head).findings.isEmpty)
        #expect(HolderDifference(base: head, head: base).findings.isEmpty)
        #expect(HolderDifference(base: base, head: head).other == 0)
    }

    @Test("does not hide a mebibyte beside it, below the same caller or another", arguments: [true, false])
    func planted(callersAreCommon: Bool) {
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

    @Test("is what has grown there, once")
    func grown() {
        let found = HolderDifference(
            base: profile([driven([SampleProfile.decode], by: timer, 8)]),
            head: profile([driven([SampleProfile.decode], by: socket, 11)]))
        #expect(found.findings.map(\.text) == ["+3.0 MiB in decode(_:), Decoder.swift:41"])
        #expect(found.other == 0)
    }

    @Test("gives what is left below the limit to the others")
    func remainder() {
        var later = driven([SampleProfile.decode], by: socket, 8)
        later.bytes += 1000
        let found = HolderDifference(
            base: profile([driven([SampleProfile.decode], by: timer, 8)]), head: profile([later]))
        #expect(found.findings.isEmpty)
        #expect(found.other == 1000)
    }

    @Test("is two findings where it is not the same code that allocates")
    func different() {
        let inner = SampleProfile.frame("grow")
        let found = HolderDifference(
            base: profile([driven([SampleProfile.decode], by: timer, 8)]),
            head: profile([driven([inner, SampleProfile.decode], by: socket, 8)]))
        #expect(found.findings.map(\.bytes).sorted() == [-8 * mebibyte, 8 * mebibyte])
        let other = HolderDifference(
            base: profile([driven([SampleProfile.decode], by: timer, 8)]),
            head: profile([driven([plant], by: socket, 8)]))
        #expect(
            Set(other.findings.map(\.text)) == [
                "-8.0 MiB in decode(_:), Decoder.swift:41", "+8.0 MiB in plant(), Plant.swift:3",
            ])
    }

    @Test("leaves as the cause of a growth what nothing has gone for")
    func cause() {
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
