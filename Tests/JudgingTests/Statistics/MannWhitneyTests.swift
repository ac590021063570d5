// SPDX-License-Identifier: Apache-2.0

import Statistics
import Testing

@Suite struct MannWhitneyTests {
    @Test func agreesWithSciPyOnEveryDataSet() throws {
        let comparisons = try Reference.load().comparisons
        #expect(comparisons.count >= 50)
        #expect(comparisons.count { $0.hasTies } >= 30 && comparisons.count { !$0.hasTies } >= 30)
        for reference in comparisons {
            #expect(MannWhitney.test(reference.base, reference.head, alternative: .greater).u == reference.u)
            expect(
                reference.base, reference.head, [reference.greater, reference.less, reference.twoSided], within: 1e-9,
                reference.name)
        }
    }

    /// Memory comes in pages, and ten runs are many: what is judged are small samples with ties.
    @Test func agreesWithSciPysPermutationTestOnAThousandSmallSamplesWithTies() throws {
        let samples = try Reference.load().permutations
        #expect(samples.count == 1000)
        #expect(samples.allSatisfy { Set($0.base + $0.head).count < $0.base.count + $0.head.count })
        #expect(samples.count { $0.twoSided <= 0.01 } >= 50)
        for (index, sample) in samples.enumerated() {
            expect(
                sample.base, sample.head, [sample.greater, sample.less, sample.twoSided], within: 1e-6, "\(index)")
        }
    }

    private func expect(_ base: [Double], _ head: [Double], _ p: [Double], within tolerance: Double, _ name: String) {
        for (alternative, expected) in zip([MannWhitney.Alternative.greater, .less, .twoSided], p) {
            let found = MannWhitney.test(base, head, alternative: alternative)
            #expect(found.isExact, "\(name)")
            #expect(agree(found.p, expected, within: tolerance), "\(name), \(alternative): \(found.p), not \(expected)")
        }
    }

    @Test func exactTailsAreTheCountedArrangements() throws {
        for tail in try Reference.load().exactTails {
            // So many of the second side's values lie below each of the first side's that they add up to u.
            let below = (0..<tail.first).map { place in
                min(tail.second, max(0, tail.u - place * tail.second))
            }
            let base = (0..<tail.second).map(Double.init)
            let head = below.enumerated().map { Double($1) - 0.5 + 0.001 * Double($0) }
            let found = MannWhitney.test(base, head, alternative: .greater)
            #expect(found.u == Double(tail.u))
            #expect(agree(found.p, tail.p, within: 1e-12), "\(tail): \(found.p)")
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

    @Test(arguments: [(0.5, 1), (0.1, 3), (0.005, 5), (0.0025, 6), (0.001, 7), (0.0001, 8), (1e-17, 30)])
    func fewerValuesDoNotReachASmallP(p: Double, count: Int) {
        #expect(MannWhitney.fewestValues(reaching: p) == count)
        #expect(MannWhitney.smallestP(count, count) <= p)
        #expect(count == 1 || MannWhitney.smallestP(count - 1, count - 1) > p)
    }

    @Test func bothTailsHoldTheSplitThatWasFound() {
        let (base, head) = ([1.0, 2, 2, 3, 9, 9], [2.0, 2, 3, 4, 9])
        let greater = MannWhitney.test(base, head, alternative: .greater).p
        let less = MannWhitney.test(base, head, alternative: .less).p
        let both = MannWhitney.test(base, head, alternative: .twoSided).p
        #expect(greater + less > 1)
        #expect(both == min(1, 2 * min(greater, less)))
    }

    @Test(arguments: MannWhitney.Alternative.allCases)
    func equalValuesSayNothing(alternative: MannWhitney.Alternative) {
        let found = MannWhitney.test([7, 7, 7], [7, 7], alternative: alternative)
        #expect(found.p == 1)
        #expect(found.u == 3)
        #expect(found.isExact)
    }

    /// Where splits are drawn, and not counted, p is that of the counted ones give or take what drawing does.
    @Test func veryManyValuesAreDrawnFrom() {
        let base = (0..<100).map { Double($0 / 3) }
        let many = (0..<400).map { Double($0 % 100 / 3) + 3 }
        let few = (0..<100).map { Double($0 / 3) + 3 }
        let exact = MannWhitney.test(base, few, alternative: .greater)
        #expect(exact.isExact && (0.01...0.1).contains(exact.p))
        let drawn = MannWhitney.test(base + base + base + base, many, alternative: .greater)
        #expect(!drawn.isExact && drawn.p < 0.001 && drawn.p > 0)
        #expect(drawn == MannWhitney.test(base + base + base + base, many, alternative: .greater), "always the same")
        // None of the drawn ones is as far apart: p is that of the one that was found.
        let top = (0..<400).map { Double($0 / 3) }
        let far = MannWhitney.test(top, top.map { $0 + 100 }, alternative: .greater)
        #expect(!far.isExact && far.p == 1.0 / 100_000)
        let low = (0..<600).map(Double.init)
        let apart = MannWhitney.test(low, low.map { $0 + 1e4 }, alternative: .greater)
        #expect(apart.isExact && apart.p < 1e-300, "a short tail is counted, however many values there are")
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
