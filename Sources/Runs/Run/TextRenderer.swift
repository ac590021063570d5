// SPDX-License-Identifier: Apache-2.0

/// Draws something in one format: a pure function of a value.
package protocol TextRenderer<Subject>: Sendable {
    /// What is drawn: a ``Report``, a ``Judgement``, a ``Calibration``, a ``CostTable`` or an ``CommandReport``.
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

    /// The same in pieces, in their order: whoever writes them one by one needs no room for a long text.
    func pieces(of subject: Subject) throws(FetchBenchError) -> TextPieces
}

extension TextRenderer {
    package var file: RunFolder.File? { nil }

    package func pieces(of subject: Subject) throws(FetchBenchError) -> TextPieces {
        TextPieces(try text(of: subject))
    }
}

/// A text that is made piece by piece.
package struct TextPieces: Sendable {
    /// How many pieces there are.
    package let count: Int
    /// Makes one of them, by its place from 0.
    package let piece: @Sendable (Int) throws(FetchBenchError) -> String

    init(_ count: Int, piece: @escaping @Sendable (Int) throws(FetchBenchError) -> String) {
        self.count = count
        self.piece = piece
    }

    /// One piece.
    init(_ text: String) {
        self.init(1) { _ in text }
    }

    /// All of them, one behind the other.
    func joined() throws(FetchBenchError) -> String {
        var text = ""
        for index in 0..<count { text += try piece(index) }
        return text
    }
}
