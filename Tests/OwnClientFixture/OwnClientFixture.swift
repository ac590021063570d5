// SPDX-License-Identifier: Apache-2.0

import TrialKit

/// A trial program as anybody writes one: modes, and a scenario that asks its second process.
@main
enum OwnClientFixture {
    static func main() async {
        let modes: [any FetchMode] = [
            OwnClientMode(name: "keeps-nothing", summary: "a client that keeps nothing", keeping: .nothing),
            OwnClientMode(
                name: "keeps-64-bytes", summary: "a client that leaks a record of 64 bytes with each request",
                keeping: .records),
            OwnClientMode(
                name: "keeps-100-bodies", summary: "a client that caches the first 100 bodies of each URL",
                keeping: .firstBodies(100)),
            OwnClientMode(
                name: "grows-scratch", summary: "a client whose freed memory the allocator keeps", keeping: .scratch),
            StepsMode(),
            BlockingMode(name: "blocking", abilities: []),
            BlockingMode(name: "blocking-undeclared", abilities: [.concurrency]),
        ]
        await TrialProgram.run(modes: modes, scenarios: [QuestionsScenario()])
    }
}
