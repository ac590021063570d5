// SPDX-License-Identifier: Apache-2.0

import FetchBenchKit
import Statistics
import Testing

@Suite struct MannWhitneyTests {
    @Test func agreesWithSciPyOnEveryDataSet() throws {
        let comparisons = try Reference.load().comparisons
        #expect(comparisons.count >= 50)
        #expect(comparisons.count { $0.isExact } >= 30 && comparisons.count { !$0.isExact } >= 30)
        for reference in comparisons {
            let expected = [
                (MannWhitney.Alternative.greater, reference.greater), (.less, reference.less),
                (.twoSided, reference.twoSided),
            ]
            for (alternative, p) in expected {
                let found = MannWhitney.test(reference.base, reference.head, alternative: alternative)
                let name = "\(reference.name), \(alternative): \(found.p) is not \(p)"
                #expect(found.u == reference.u, "\(name)")
                #expect(found.isExact == reference.isExact, "\(name)")
                #expect(agree(found.p, p, within: 1e-9), "\(name)")
            }
        }
    }

    @Test func exactTailsAreTheCountedArrangements() throws {
        for tail in try Reference.load().exactTails {
            let p = RankSumDistribution(tail.first, tail.second).probability(ofAtLeast: tail.u)
            #expect(agree(p, tail.p, within: 1e-12), "\(tail): \(p)")
        }
    }

    @Test(arguments: [(1, 1), (4, 4), (12, 12), (30, 30), (60, 7)])
    func smallestPIsThatOfSeparateSides(base: Int, head: Int) {
        let low = (1...base).map(Double.init)
        let high = (1...head).map { Double(base + $0) }
        let found = MannWhitney.test(low, high, alternative: .greater)
        #expect(found.u == Double(base * head))
        #expect(agree(found.p, MannWhitney.smallestP(base, head), within: 1e-12))
    }

    @Test func probabilitiesAddUpToOne() {
        for (first, second) in [(1, 9), (7, 7), (25, 31)] {
            let all = RankSumDistribution(first, second).probabilities(upTo: first * second)
            #expect(agree(all.reduce(0, +), 1, within: 1e-12))
            #expect(zip(all, all.reversed()).allSatisfy { agree($0, $1, within: 1e-12) })
        }
    }

    @Test(arguments: MannWhitney.Alternative.allCases)
    func equalValuesSayNothing(alternative: MannWhitney.Alternative) {
        let found = MannWhitney.test([7, 7, 7], [7, 7], alternative: alternative)
        #expect(found.p == 1)
        #expect(found.u == 3)
        #expect(!found.isExact)
    }

    @Test func veryManyValuesAreApproximatedAlike() {
        let base = (0..<100).map { Double($0) }
        let many = (0..<101).map { Double($0) + 7.5 }
        let few = many.filter { $0 != 57.5 }
        let exact = MannWhitney.test(base, few, alternative: .greater)
        let approximate = MannWhitney.test(base, many, alternative: .greater)
        #expect(exact.isExact && !approximate.isExact)
        #expect(abs(exact.p - approximate.p) < 0.005)
        #expect((0.01...0.1).contains(exact.p))
    }

    @Test func sidesMirrorEachOther() {
        let base = [3.5, 1, 8, 2.25]
        let head = [4.0, 9, 7.5, 6, 5]
        let greater = MannWhitney.test(base, head, alternative: .greater)
        let mirrored = MannWhitney.test(head, base, alternative: .less)
        #expect(greater.p == mirrored.p)
        #expect(greater.u + mirrored.u == 20)
    }

    @Test func valuesThatAreNoNumbersAndEmptySidesAreACallersBug() async {
        await #expect(processExitsWith: .failure) { _ = MannWhitney.test([1, .nan], [2], alternative: .greater) }
        await #expect(processExitsWith: .failure) { _ = MannWhitney.test([1], [], alternative: .greater) }
    }
}

@Suite struct NormalDistributionTests {
    @Test func tailsAgreeWithSciPy() throws {
        for reference in try Reference.load().normalTails {
            #expect(agree(NormalDistribution.upperTail(reference.z), reference.tail, within: 1e-12))
        }
    }

    @Test(arguments: [1e-12, 0.005, 0.025, 0.5, 0.8, 0.999])
    func quantileInvertsTheTail(tail: Double) {
        #expect(agree(NormalDistribution.upperTail(NormalDistribution.upperQuantile(tail)), tail, within: 1e-12))
    }

    @Test func knownQuantiles() {
        #expect(agree(NormalDistribution.upperQuantile(0.025), 1.959963984540054, within: 1e-14))
        #expect(agree(NormalDistribution.upperQuantile(0.005), 2.5758293035489004, within: 1e-14))
    }
}
