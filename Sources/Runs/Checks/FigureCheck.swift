// SPDX-License-Identifier: Apache-2.0

package struct FigureCheck {
    private static let longestName = 64
    private static let highestIndex = 1_000_000
    /// The words with another meaning in budgets.
    private static let reserved: Set = [
        "size", "slope", "max", "min", "median", "asset_bytes", "ns", "us", "ms", "s", "kib", "mib", "gib",
    ]

    private let taken: Set<String>
    private var fields = FieldChecks()
    private var known: [String: FigureDeclaration] = [:]

    package static func mistakes(
        in scenarios: [ScenarioDeclaration], besides taken: Set<String>
    ) -> [DocumentMistake] {
        var check = FigureCheck(taken: taken)
        for (index, scenario) in scenarios.enumerated() {
            var names: Set<String> = []
            for (number, figure) in (scenario.figures ?? []).enumerated() where !check.fields.isFull {
                let place = "scenarios[\(index)].figures[\(number)]"
                if !names.insert(figure.name).inserted {
                    check.fields.add("name", "is \(DocumentMistake.shown(figure.name)), declared twice", in: { place })
                }
                check.check(figure, place)
            }
        }
        return check.fields.mistakes
    }

    private mutating func check(_ figure: FigureDeclaration, _ place: String) {
        checkWords(figure, place)
        let sources = [figure.slopeOf != nil, figure.readingOf != nil, figure.quotient != nil].count { $0 }
        if sources > 1 {
            add("slope_of", "cannot be combined with reading_of or quotient: a figure has exactly one source", place)
        }
        fields.number(
            figure.readingOf?.index, "reading_of.index", { place }, to: FieldChecks.Bound(Self.highestIndex))
        fields.figure(
            figure.quotient?.smallestDivisor, "quotient.smallest_divisor", { place }, in: 0...Limits.largestFigure)
        if let step = figure.decides {
            if !(step.smallest > 0 && step.smallest <= step.visible && step.visible <= Limits.largestFigure) {
                add(
                    "decides",
                    "is \(step.smallest) and \(step.visible): smallest is above 0, and visible at least as much",
                    place)
            }
        }
        if let suspect = figure.suspect {
            if suspect.above == nil, suspect.below == nil { add("suspect", "has neither above nor below", place) }
            if suspect.words.isEmpty { add("suspect.words", "is empty", place) }
            fields.figure(suspect.above, "suspect.above", { place })
            fields.figure(suspect.below, "suspect.below", { place })
        }
    }

    private mutating func checkWords(_ figure: FigureDeclaration, _ place: String) {
        for (field, word) in [("name", figure.name), ("short", figure.shortName)] where !Self.isWord(word) {
            add(
                field,
                "is '\(DocumentMistake.shown(word))', expected at most \(Self.longestName) small letters, digits and _, a "
                    + "letter first, and no other word of budgets", place)
        }
        if let suffix = figure.unit.suffix, !figure.name.hasSuffix(suffix) {
            add(
                "name",
                "is \(DocumentMistake.shown(figure.name)), expected \(suffix) at its end: its unit is \(figure.unit.rawValue)",
                place)
        }
        for word in Set([figure.name, figure.shortName]) {
            if taken.contains(word) {
                add("name", "is \(DocumentMistake.shown(word)), a metric that every trial has", place)
            }
            if let other = known[word], !figure.isSame(as: other) {
                add("name", "is \(DocumentMistake.shown(word)), which another scenario declares in another way", place)
            }
            known[word] = figure
        }
    }

    private mutating func add(_ field: String, _ words: String, _ place: String) {
        fields.add(field, words, in: { place })
    }

    private static func isWord(_ word: String) -> Bool {
        let letters: ClosedRange<Unicode.Scalar> = "a"..."z"
        return word.utf8.count <= longestName && word.unicodeScalars.first.map(letters.contains) ?? false
            && word.unicodeScalars.allSatisfy { letters.contains($0) || ("0"..."9").contains($0) || $0 == "_" }
            && !reserved.contains(word)
    }
}

extension FigureDeclaration.Unit {
    fileprivate var suffix: String? {
        switch self {
        case .bytes: "_bytes"
        case .nanoseconds: "_ns"
        case .ratio: nil
        }
    }
}

extension FigureDeclaration {
    /// True if two declarations describe the same figure; its presentation and verdict may differ.
    fileprivate func isSame(as other: FigureDeclaration) -> Bool {
        func bare(_ figure: FigureDeclaration) -> FigureDeclaration {
            var bare = figure
            (bare.heading, bare.style, bare.decides, bare.suspect) = (nil, nil, nil, nil)
            return bare
        }
        return bare(self) == bare(other)
    }
}
