// SPDX-License-Identifier: Apache-2.0

import Texts

/// The facts about a profile besides its rows, for formats with remarks.
struct ProfileFacts {
    struct Fact: Hashable {
        let label: String
        let value: String
    }

    let all: [Fact]

    init(_ profile: HolderProfile) {
        let recorder = profile.recorder
        var facts = [
            Fact(label: "subject", value: profile.subject),
            Fact(label: "allocator", value: profile.allocator),
            Fact(label: "kernel's figure", value: "\(profile.explainedPeak) bytes"),
        ]
        if let process = profile.process { facts.insert(Fact(label: "process", value: process.text), at: 1) }
        if let share = profile.stackShare {
            facts.append(Fact(label: "held by call stacks", value: ByteText.fixed(share * 100, places: 1) + " %"))
        }
        if let plain = profile.plainPeak {
            facts.append(Fact(label: "kernel's figure without the recorder", value: "\(plain) bytes"))
        }
        facts += [
            Fact(label: "unattributed", value: "\(profile.unattributed) bytes"),
            Fact(label: "recorder's own memory, in no figure", value: "\(recorder.ownBytes) bytes"),
            Fact(label: "allocations seen", value: "\(recorder.allocationCount)"),
            Fact(label: "call stacks walked", value: "\(recorder.stackCount)"),
            Fact(label: "looks at all blocks", value: "\(recorder.captureCount)"),
            Fact(label: "blocks lost", value: "\(recorder.lostCount)"),
            Fact(label: "recorder's time", value: Self.seconds(recorder.nanoseconds)),
        ]
        all = facts
    }

    static func seconds(_ nanoseconds: Int) -> String {
        ByteText.fixed(Double(nanoseconds) / 1e9, places: 3) + " s"
    }
}
