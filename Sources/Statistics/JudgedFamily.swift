// SPDX-License-Identifier: Apache-2.0

/// All comparisons of one judgement; each p-value is corrected for their number.
package struct JudgedFamily {
    /// Two sides of one metric with the way to compare them.
    package struct Member: Hashable, Sendable {
        package var base: [Double]
        package var head: [Double]
        /// The reference of relative changes, or `nil` for the median of the base.
        package var scale: Double?
        /// The direction shown by earlier trials, or `nil` without any.
        package var direction: ChangeDirection?
        package var rule: JudgementRule

        package init(
            base: [Double], head: [Double], scale: Double? = nil, direction: ChangeDirection? = nil,
            rule: JudgementRule
        ) {
            self.base = base
            self.head = head
            self.scale = scale
            self.direction = direction
            self.rule = rule
        }
    }

    private let members: [Member]
    private let settledCount: Int

    /// - Parameter settledCount: The number of comparisons settled by the first stage. They count as tests because the
    ///   stages may share values, such as those of a stored baseline, which give no fresh chance.
    package init(_ members: [Member], besides settledCount: Int = 0) {
        self.members = members
        self.settledCount = settledCount
    }

    /// Returns the results in the order of the members; those that cannot be judged count as tests, too.
    /// - Parameter seed: The seed of each interval, which is therefore independent of other members.
    package func confirmations(seed: UInt64) -> [Result<Confirmation, StatisticsError>] {
        let p = members.map { member in
            let judge = TwoStageJudge(rule: member.rule)
            return (try? judge.confirmationP(member.direction, base: member.base, head: member.head)) ?? 1
        }
        let settled = [Double](repeating: 1, count: settledCount)
        return zip(members, HolmCorrection.adjusted(p + settled)).map { member, corrected in
            Result { () throws(StatisticsError) in
                var generator = SeededGenerator(seed: seed)
                return try TwoStageJudge(rule: member.rule).confirm(
                    member.direction, base: member.base, head: member.head, scale: member.scale,
                    corrected: corrected, among: members.count + settledCount, generator: &generator)
            }
        }
    }
}
