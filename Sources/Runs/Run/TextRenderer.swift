// SPDX-License-Identifier: Apache-2.0

package protocol TextRenderer<Subject>: Sendable {
    /// The rendered type: a ``Report``, a ``Judgement``, a ``Calibration``, a ``CostTable`` or a ``CommandReport``.
    associatedtype Subject

    /// The value of `--format`.
    var name: String { get }
    var summary: String { get }
    var file: RunFolder.File? { get }

    /// Returns the text, or throws ``FetchBenchError/nothingToDraw(name:reason:)``.
    func text(of subject: Subject) throws -> String

    /// Returns the text in pieces, which can be written without memory for all of it.
    func pieces(of subject: Subject) throws -> TextPieces
}

extension TextRenderer {
    package var file: RunFolder.File? { nil }

    package func pieces(of subject: Subject) throws -> TextPieces {
        TextPieces(try text(of: subject))
    }
}

package struct TextPieces: Sendable {
    package let count: Int
    package let piece: @Sendable (Int) throws -> String

    init(_ count: Int, piece: @escaping @Sendable (Int) throws -> String) {
        (self.count, self.piece) = (count, piece)
    }

    init(_ text: String) { self.init(1) { _ in text } }

    func joined() throws -> String {
        var text = ""
        for index in 0..<count { text += try piece(index) }
        return text
    }
}
