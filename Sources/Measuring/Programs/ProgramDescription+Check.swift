// SPDX-License-Identifier: Apache-2.0

package import Runs
package import TrialKit

extension ProgramDescription {
    private static let longestName = 64

    /// Parses the answer of a program, which need not be one of ours.
    package init(checking output: [UInt8]) throws(Obstacle) {
        // The versions first: a newer document may have unknown words.
        let versions: [Int]
        do throws(DocumentMistake) {
            versions = try ForeignDocument.decode(Versions.self, from: output).protocols
        } catch {
            throw Obstacle(
                "it is not a trial program (docs/trial-protocol.md): \(error)")
        }
        try Self.check(versions)
        do throws(DocumentMistake) {
            self = try ForeignDocument.decode(ProgramDescription.self, from: output)
            if let mistake = fieldMistakes.first { throw mistake }
        } catch {
            throw Obstacle("invalid description: \(error)")
        }
        try checkNames()
    }

    private struct Versions: Decodable {
        var protocols: [Int]
    }

    private static func check(_ versions: [Int]) throws(Obstacle) {
        let known = TrialRequest.understoodProtocols
        let shown = "[" + versions.prefix(3).map { String($0) }.joined(separator: ", ") + "]"
        let usage =
            "invalid description: protocols is \(shown), expected the first and the last version, from 1"
        guard versions.count == 2, versions[0] <= versions[1] else { throw Obstacle(usage) }
        guard versions[0] <= known.upperBound, versions[1] >= known.lowerBound else {
            throw Obstacle(
                "it supports versions \(versions[0]) to \(versions[1]) of the trial protocol, and fetchbench "
                    + "\(known.lowerBound) to \(known.upperBound): build both from the same commit")
        }
        guard versions[0] >= 1 else { throw Obstacle(usage) }
    }

    /// Values that cannot be passed to a process or counted.
    private var fieldMistakes: [DocumentMistake] {
        var fields = FieldChecks()
        for (index, model) in renderModels.enumerated() {
            for (name, value) in model.environment where !fields.isFull {
                let field = "render_models[\(index)].environment.\(DocumentMistake.shown(name))"
                if name.isEmpty || name.utf8.contains(0) || name.utf8.contains(UInt8(ascii: "=")) {
                    fields.add(field, "is an invalid variable name: it must not be empty or contain NUL or '='")
                }
                if value.utf8.contains(0) { fields.add(field, "contains NUL") }
            }
        }
        for (index, scenario) in (scenarios ?? []).enumerated() {
            fields.number(
                scenario.usualCount, "scenarios[\(index)].usual_count", from: 1,
                to: FieldChecks.Bound(ScenarioChoice.mostCount))
        }
        return fields.mistakes + FigureCheck.mistakes(in: scenarios ?? [], besides: MetricCatalog.ofEveryTrial.words)
    }

    /// Refuses names that cannot be typed, stored or distinguished, and a program without the null case.
    private func checkNames() throws(Obstacle) {
        let names = [("mode", modes.map(\.name)), ("render model", renderModels.map(\.name))]
        for (kind, names) in names {
            var seen: Set<String> = []
            for name in names {
                guard Self.isWord(name) else {
                    throw Obstacle(
                        "the name of \(kind) '\(name.prefix(Self.longestName))' is invalid: expected letters, digits, "
                            + "'.', '_' and '-', but not 'all' or 'closest'")
                }
                guard seen.insert(name).inserted else {
                    throw Obstacle("it has two entries for \(kind) \(name)")
                }
            }
            guard seen.contains(Case.nullMode) else {
                throw Obstacle("\(kind) none is missing, which every plan needs")
            }
        }
        try checkScenarioNames()
    }

    /// Refuses scenarios and variants that `--scenario` could not name.
    private func checkScenarioNames() throws(Obstacle) {
        var seen: Set<String> = []
        for scenario in scenarios ?? [] {
            let words = [scenario.name] + scenario.variants.map { scenario.name + ":" + $0.name }
            for word in words {
                let choice = ScenarioChoice(word)
                let isAsked = choice?.text == word && choice?.count == nil && choice?.name != ScenarioChoice.none.name
                guard isAsked, word.count <= 2 * Self.longestName else {
                    throw Obstacle(
                        "the name of scenario '\(DocumentMistake.shown(word))' is invalid: expected lower-case letters, "
                            + "digits and '-', beginning with a letter; a variant must not be a number")
                }
                guard seen.insert(word).inserted else {
                    throw Obstacle("it has two entries for scenario \(word)")
                }
            }
        }
    }

    private static func isWord(_ name: String) -> Bool {
        ![PlannedMode.allWord, PlannedMode.closestWord].contains(name) && name.count <= longestName
            && name.first.map { $0.isLetter || $0.isNumber } ?? false
            && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "._-".contains($0)) }
    }
}
