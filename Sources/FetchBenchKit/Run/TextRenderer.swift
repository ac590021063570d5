// SPDX-License-Identifier: Apache-2.0

/// Draws something in one format: a pure function of a value.
package protocol TextRenderer<Subject>: Sendable {
    /// What is drawn: a ``Report``, a ``Judgement``, a ``Calibration`` or a ``CostTable``.
    associatedtype Subject

    /// The word of `--format`.
    var name: String { get }
    /// One line for lists.
    var summary: String { get }
    /// The file of a folder in `results` that holds it, or `nil` where it is printed alone.
    var file: RunFolder.File? { get }

    /// The text.
    /// - Throws: ``FetchBenchError/nothingToDraw(name:reason:)`` where there is nothing of the kind.
    func text(of subject: Subject) throws(FetchBenchError) -> String
}

extension TextRenderer {
    package var file: RunFolder.File? { nil }
}
