// SPDX-License-Identifier: Apache-2.0

import Statistics
import Testing

@Suite struct StepDetectionTests {
    @Test func agreesWithTheExhaustiveSearch() throws {
        let all = try Reference.load().stepSeries
        #expect(all.count { $0.indices.isEmpty } >= 10 && all.count { $0.indices.count > 1 } >= 5)
        for reference in all {
            let steps = StepDetection.steps(in: reference.series)
            #expect(steps.map(\.index) == reference.indices)
            #expect(steps.map(\.before) == Array(reference.levels.dropLast()))
            #expect(steps.map(\.after) == Array(reference.levels.dropFirst()))
        }
    }

    @Test func oneStepIsFoundWhereItIs() throws {
        let series = [100, 100.1, 99.9, 100.05, 103.1, 103, 102.9, 103.05]
        let step = try #require(StepDetection.steps(in: series).first)
        #expect(StepDetection.steps(in: series).count == 1)
        #expect(step.index == 4)
        #expect(abs(step.before - 100.025) < 1e-9 && abs(step.after - 103.025) < 1e-9)
        #expect(abs(step.relativeChange - 3 / 100.025) < 1e-9)
    }

    @Test func aRiseThatIsTakenBackIsTwoSteps() {
        let series = (0..<30).map { index in (10..<20).contains(index) ? 105 : 100 + Double(index % 3) / 10 }
        #expect(StepDetection.steps(in: series).map(\.index) == [10, 20])
    }

    @Test func wildValuesNeitherAreStepsNorHideOne() {
        var series = (0..<24).map { 100 + Double($0 % 4) / 10 }
        series[5] = 150
        series[17] = 60
        #expect(StepDetection.steps(in: series).isEmpty)
        for index in 12..<24 { series[index] += 3 }
        #expect(StepDetection.steps(in: series).map(\.index) == [12])
    }

    @Test(arguments: [0, 1, 5, 6, 50])
    func aConstantSeriesHasNoStep(count: Int) {
        #expect(StepDetection.steps(in: [Double](repeating: 42, count: count)).isEmpty)
        #expect(StepDetection.steps(in: [Double](repeating: 0, count: count)).isEmpty)
    }

    @Test func theLimitsHoldAtTheirEdges() {
        let step = { (change: Double) in [100, 100, 100, 100 + change, 100 + change, 100 + change] }
        #expect(StepDetection.steps(in: step(1)).count == 1)
        #expect(StepDetection.steps(in: step(0.99)).isEmpty)
        #expect(StepDetection.steps(in: step(-1)).count == 1)
        #expect(StepDetection.steps(in: Array(step(5).dropFirst())).isEmpty)
        #expect(StepDetection.steps(in: step(5), minimumPoints: 7).isEmpty)
        #expect(StepDetection.steps(in: step(1), relativeChange: 0.02).isEmpty)
        let noisy = [99, 100, 101, 102.5, 100, 98, 119, 120, 121, 122.5, 120, 118]
        #expect(StepDetection.steps(in: noisy).map(\.index) == [6])
        #expect(StepDetection.steps(in: noisy, sigmas: 20).isEmpty)
    }

    @Test func aStepIsDatedAtTheFirstValueOfItsLevel() throws {
        for (series, index) in [([10, 10.1, 9.9, 10, 10.1, 9.9, 20, 20.1], 6), ([20, 20.1, 10, 10.1, 9.9, 10], 2)] {
            #expect(try #require(StepDetection.steps(in: series).first).dated(in: series).index == index)
        }
    }

    @Test func aRampIsADriftAndAStepIsNone() throws {
        var noise = Noise(seed: 14)
        for slope in [0.01, -0.01] {
            let ramp = (0..<30).map { 1000 * (1 + slope * Double($0) + 0.002 * noise.normal()) }
            let drift = try #require(StepDetection.drift(in: ramp, besides: StepDetection.steps(in: ramp)))
            #expect(abs(drift - 29_000 * slope) < 15)
            let step = (0..<30).map { 1000 * (1 + ($0 < 12 ? 0 : slope * 5) + 0.002 * noise.normal()) }
            #expect(StepDetection.drift(in: step, besides: StepDetection.steps(in: step)) == nil)
        }
    }

    @Test func aStepFromZeroIsInfinite() throws {
        let step = try #require(StepDetection.steps(in: [0, 0, 0, 4, 4, 4]).first)
        #expect(step.relativeChange == .infinity)
    }

    @Test(arguments: Noise.Shape.allCases)
    func tenThousandSeriesOfNoiseHaveHardlyAStep(shape: Noise.Shape) {
        var noise = Noise(seed: 11)
        var alarms = 0
        for index in 0..<10_000 {
            let level = [0.003, 0.01, 0.03, 0.1][index % 4]
            let series = (0..<(6 + index % 25)).map { _ in 1000 * (1 + level * noise.value(shape)) }
            alarms += StepDetection.steps(in: series).isEmpty ? 0 : 1
        }
        #expect(alarms <= 100, "\(alarms) of 10,000")
    }

    @Test(arguments: [6, 7, 8, 9, 10, 12])
    func theShortestSeriesHaveNoMoreFalseAlarms(count: Int) {
        var noise = Noise(seed: 12)
        let alarms = (0..<10_000).count { _ in
            !StepDetection.steps(in: (0..<count).map { _ in 1000 + 100 * noise.normal() }).isEmpty
        }
        #expect(alarms <= 100, "\(alarms) of 10,000")
    }

    @Test(arguments: [(8, 0.001, 0.01), (16, 0.003, 0.015), (30, 0.005, 0.02)])
    func stepsAboveTheNoiseAreFound(count: Int, level: Double, change: Double) {
        var noise = Noise(seed: 13)
        let found = (0..<500).count { _ in
            let series = (0..<count).map { index in
                1000 * (1 + (index < count / 2 ? 0 : 1.2 * change)) * (1 + level * noise.normal())
            }
            let steps = StepDetection.steps(in: series)
            return steps.count == 1 && steps.allSatisfy { abs($0.index - count / 2) <= 1 }
        }
        #expect(found >= 475, "\(found) of 500")
    }

    @Test func aValueThatIsNoNumberIsACallersBug() async {
        await #expect(processExitsWith: .failure) { _ = StepDetection.steps(in: [1, 2, .nan, 4, 5, 6]) }
    }
}
