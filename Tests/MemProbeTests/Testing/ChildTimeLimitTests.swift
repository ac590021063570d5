// SPDX-License-Identifier: Apache-2.0

import MemProbeTesting
import Testing

/// How long a process of a test may take.
struct ChildTimeLimitTests {
    @Test(
        arguments: [
            (nil, nil, 60), (.seconds(120), nil, 120), (nil, .seconds(300), 330), (.seconds(5), .seconds(300), 5),
            (.milliseconds(1), nil, 1), (.milliseconds(1500), nil, 2),
        ] as [(Duration?, Duration?, Int)])
    func theTraitComesBeforeTheTest(trait: Duration?, test: Duration?, seconds: Int) throws {
        #expect(try ChildTimeLimit(trait: trait, test: test).seconds == seconds)
    }

    @Test(arguments: [.zero, .seconds(-1), .seconds(Int64.max)] as [Duration])
    func whatCannotBeKeptIsRefused(trait: Duration) {
        #expect(throws: ChildTimeLimit.Fault.self) { try ChildTimeLimit(trait: trait, test: nil) }
    }

    @Test func whoSetItIsSaid() throws {
        let words = try [
            ChildTimeLimit(trait: nil, test: nil), .init(trait: .seconds(60), test: nil),
            .init(trait: nil, test: .seconds(30)),
        ].map(\.words)
        #expect(Set(words).count == 3)
    }
}
