// SPDX-License-Identifier: Apache-2.0

import Runs

/// Sampled figures that take no answer from exact ones.
extension CaseJudge {
    /// Returns the findings of a case with those set aside that are sampled and too noisy, where an exact one has decided.
    func exactlyDecided(_ findings: [Finding], _ values: CaseValues) -> [Finding] {
        withoutCoincidence(withoutSampled(findings), values)
    }

    /// Returns the findings of a case with those of sampled figures set aside that are too noisy, if the exact figure of
    /// the same memory has decided.
    ///
    /// A sample every millisecond catches a short peak by chance, so the figure varies even within one build.
    private func withoutSampled(_ findings: [Finding]) -> [Finding] {
        let deciding: [Finding.Verdict] = [.unchanged, .improved, .regressed]
        guard findings.contains(where: { $0.metric == Metric.netPeakGrowth.name && deciding.contains($0.verdict) })
        else { return findings }
        return findings.map { finding in
            guard finding.metric == Metric.peakAnonymousGrowth.name, finding.verdict == .inconclusive,
                finding.reason.hasPrefix(Self.noise)
            else {
                return finding
            }
            var finding = finding
            finding.verdict = .notJudged
            finding.reason =
                "decided by the exact peak without program pages, as this figure is sampled: " + finding.reason
            return finding
        }
    }

    /// Returns the findings of a case with those set aside that vary too much because several processes peak at the same
    /// time by chance, if the sum of their peaks is unchanged.
    ///
    /// Their joint memory is sampled, but each peak, and so the sum, is read at the end of its process. A larger sum is
    /// not a regression: processes that run one after another do not hold more at once.
    private func withoutCoincidence(_ findings: [Finding], _ values: CaseValues) -> [Finding] {
        let sampled = [Metric.netPeakGrowth.name, Metric.peakAnonymousGrowth.name]
        let isNoisy = { (finding: Finding) in
            sampled.contains(finding.metric) && finding.verdict == .inconclusive
                && finding.reason.hasPrefix(Self.noise)
        }
        guard findings.contains(where: isNoisy), case .settled(let screening) = screening(.sumOfNetPeaks, values)
        else { return findings }
        let sum = settled(.sumOfNetPeaks, values, screening)
        guard sum.verdict == .unchanged else { return findings }
        return findings.map { finding in
            guard isNoisy(finding) else { return finding }
            var finding = finding
            finding.verdict = .notJudged
            finding.reason =
                "decided by the exact sum of the processes' peaks, because their overlap in time varies: "
                + finding.reason
            return finding
        } + [sum]
    }
}
