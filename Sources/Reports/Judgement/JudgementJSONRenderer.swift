// SPDX-License-Identifier: Apache-2.0

package import Judging
package import Runs
import Texts

/// Renders a judgement as JSON, described by `docs/judgement.schema.json`.
///
/// It decodes as a ``Judgement``, and has the additional property `answer`: `within`, `red` or `none`.
package struct JudgementJSONRenderer: TextRenderer {
    package let name = "json"
    package let summary = "the whole judgement with its answer"
    package let file = RunFolder.File?.some(.judgement)

    package init() {}

    package func text(of judgement: Judgement) -> String {
        JSONText.pretty(Document(judgement: judgement.finite, answer: judgement.answer.word))
    }

    private struct Document: Encodable {
        let judgement: Judgement
        let answer: String

        private enum CodingKeys: String, CodingKey {
            case answer, findings
        }

        func encode(to encoder: any Encoder) throws {
            try judgement.encode(to: encoder)
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(answer, forKey: .answer)
            try container.encode(judgement.findings.map(FindingDocument.init), forKey: .findings)
        }
    }

    /// A finding with derived properties, to save readers from computing them.
    private struct FindingDocument: Encodable {
        let finding: Finding

        private enum CodingKeys: String, CodingKey {
            case change
        }

        func encode(to encoder: any Encoder) throws {
            try finding.encode(to: encoder)
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encodeIfPresent(finding.change, forKey: .change)
        }
    }
}
