// SPDX-License-Identifier: Apache-2.0

/// Everything that is looked at in one judgement: each p-value is corrected for all of them.
package struct JudgedFamily {
    /// Two sides of one metric, and how they are looked at.
    package struct Member: Hashable, Sendable {
        package var base: [Double]
        package var head: [Double]
        /// The whole that changes are relative to, or `nil` for the median of the base.
        package var scale: Double?
        /// The direction that earlier trials showed, or `nil` where these are the only ones.
        package var direction: ChangeDirection?
        /// When a difference counts.
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

    /// Creates a family.
    /// - Parameter settledCount: how much was looked at besides and found clean by a first look already. It counts: where
    ///   the looks share values, such as those of a stored baseline, what they show is no fresh chance.
    package init(_ members: [Member], besides settledCount: Int = 0) {
        self.members = members
        self.settledCount = settledCount
    }

    /// What is found of each member, in their order.
    ///
    /// Members that cannot be judged count for the correction: they were looked at, too.
    /// - Parameter seed: what each member's interval is drawn from, which others do not change.
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
