// SPDX-License-Identifier: Apache-2.0

package import Runs
import Texts
import TrialKit

/// The warnings about the server of a foreign URL: what it does is no fault of a mode.
package enum ServerDoubts {
    package static func all(of run: RunRecord) -> [RunWarning] {
        run.plan.assets.flatMap { asset -> [RunWarning] in
            guard let reference = asset.reference, let body = reference.identity else { return [] }
            return [
                changing(reference, body, run), encoded(body), unwarmed(reference), agreed(on: asset, in: run),
            ].compactMap(\.self)
        }
    }

    private static func changing(
        _ reference: ReferenceReport, _ body: ReferenceReport.Body, _ run: RunRecord
    ) -> RunWarning? {
        guard !reference.others.isEmpty else { return nil }
        let sizes = Set(reference.others.map(\.contentByteCount)).sorted().map { "\($0)" }.joined(separator: ", ")
        guard reference.isChanging else {
            return RunWarning(
                "the server first sent another body (\(sizes) bytes), then twice the one of \(body.contentByteCount) bytes "
                    + "with which trials are compared: a login page, or an asset that changed")
        }
        let isOfOneLength = Set((reference.others + [body]).map(\.contentByteCount)).count == 1
        return RunWarning(
            "the server sends another body each time (\(reference.others.count + 1) answers, none like the one before): "
                + "no trial's body can be compared" + (isOfOneLength ? ", but for its length" : ""),
            remedy: isOfOneLength && run.plan.settings.verification == .sha256 ? "use --verify length" : nil)
    }

    private static func encoded(_ body: ReferenceReport.Body) -> RunWarning? {
        guard let encoding = body.encoding else { return nil }
        let sizes = body.decodedByteCount.map { ": \(body.byteCount) bytes, and \($0) to clients that decode it" } ?? ""
        return RunWarning(
            "the server sends the body encoded (\(SafeText.forTerminal(encoding))), although none asked for that\(sizes)"
        )
    }

    private static func unwarmed(_ reference: ReferenceReport) -> RunWarning? {
        guard let obstacle = reference.headObstacle else { return nil }
        return RunWarning(
            "no HEAD warms the connection to the server (\(SafeText.forTerminal(obstacle))): each fetch includes its first one"
        )
    }

    /// Bodies that are like each other, and not like the reference.
    private static func agreed(on asset: Asset, in run: RunRecord) -> RunWarning? {
        let wrong = run.trials.filter { $0.cell.asset == asset.name && $0.outcome.kind == .wrongBody }
        let found = wrong.compactMap { $0.report?.body?.sha256 }
        guard found.count > 1, Set(found).count == 1 else { return nil }
        return RunWarning(
            "\(found.count) trials got the same body, and not the one that the server sent before the run: it has changed "
                + "meanwhile, or these clients are sent another one")
    }
}
