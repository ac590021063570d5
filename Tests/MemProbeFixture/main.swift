// SPDX-License-Identifier: Apache-2.0

// A process of its own for the tests of MemProbe: what it does to its memory disturbs no other test, and the test
// process's peak is left alone. It answers with lines `name value` and, on wrong usage, with status 64.

import Glibc

let words = Array(CommandLine.arguments.dropFirst())
let numbers = words.dropFirst().compactMap { Int($0) }

do {
    switch (words.first, numbers.first) {
    case ("accuracy", let size?): try Fixture.accuracy(ofMapping: size)
    case ("spike", let size?): try Fixture.spike(of: size)
    case ("hold", let size?): try Fixture.hold(size)
    case ("restless", _): Fixture.restless()
    case ("allocate", let size?): Fixture.allocate(size, inBlocksOf: numbers.last ?? size)
    case ("allocations", let times?): try Fixture.allocations(times: times)
    case ("plateau", let size?): try Fixture.plateau(of: size)
    case ("churn", let times?): try Fixture.churn(times: times)
    case ("inventory", let size?) where numbers.count == 3:
        try Fixture.inventory(size, descriptors: numbers[1], threads: numbers[2])
    case ("program-pages", _): try Fixture.programPages()
    case ("urgency", _): try Fixture.urgency()
    case ("exactness", _): Fixture.exactness()
    case ("groups", _): try Fixture.makeGroups()
    case ("huge-pages", _): try Fixture.hugePages()
    default: exit(64)
    }
} catch {
    print("error \(error)")
    exit(1)
}
