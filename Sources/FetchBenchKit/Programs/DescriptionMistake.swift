// SPDX-License-Identifier: Apache-2.0

import Foundation
import Support
import TrialKit

/// Why a description is none that a program can be measured by.
struct DescriptionMistake: Error, Hashable {
    /// What is wrong, and where.
    let reason: String

    init(_ reason: String) {
        self.reason = reason
    }
}

extension ProgramDescription {
    private static let longestName = 64
    private static let excerpt = 60

    /// Reads what a program answered, which need not be one of ours.
    init(checking output: [UInt8]) throws(DescriptionMistake) {
        let data = Data(output)
        // The versions first: what is newer may have words that are unknown here.
        guard let versions = try? JSONDecoder().decode(Versions.self, from: data).protocols else {
            throw DescriptionMistake(
                "it does not describe itself as a trial program does (docs/trial-protocol.md)\(Self.excerpt(of: output))"
            )
        }
        try Self.check(versions)
        do {
            self = try JSONDecoder().decode(ProgramDescription.self, from: data)
        } catch {
            throw DescriptionMistake("its description cannot be used: \(Self.words(of: error))")
        }
        try checkNames()
    }

    private struct Versions: Decodable {
        var protocols: [Int]
    }

    private static func check(_ versions: [Int]) throws(DescriptionMistake) {
        let known = TrialRequest.understoodProtocols
        guard versions.count == 2, versions[0] <= versions[1] else {
            throw DescriptionMistake("its description cannot be used: protocols is the first and the last version")
        }
        guard versions[0] <= known.upperBound, versions[1] >= known.lowerBound else {
            throw DescriptionMistake(
                "it speaks versions \(versions[0]) to \(versions[1]) of the protocol, and this harness "
                    + "\(known.lowerBound) to \(known.upperBound): build both from one commit")
        }
    }

    /// Refuses names that could not be typed, stored or told apart, and a program without a floor.
    private func checkNames() throws(DescriptionMistake) {
        let names = [("mode", modes.map(\.name)), ("render model", renderModels.map(\.name))]
        for (kind, names) in names {
            var seen: Set<String> = []
            for name in names {
                guard Self.isWord(name) else {
                    throw DescriptionMistake(
                        "its \(kind) '\(name.prefix(Self.longestName))' has no name that can be typed: give a word of "
                            + "letters, digits, '.', '_' and '-', which is not 'all'")
                }
                guard seen.insert(name).inserted else {
                    throw DescriptionMistake("it has two of a name: \(kind) \(name)")
                }
            }
            guard seen.contains(Case.nullMode) else {
                throw DescriptionMistake("it has no \(kind) none, which stands in every plan")
            }
        }
    }

    private static func isWord(_ name: String) -> Bool {
        name != "all" && name.count <= longestName && name.first.map { $0.isLetter || $0.isNumber } ?? false
            && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "._-".contains($0)) }
    }

    /// What it wrote instead, as the end of a sentence.
    private static func excerpt(of output: [UInt8]) -> String {
        guard !output.isEmpty else { return ": it wrote nothing" }
        let text = SafeText.forTerminal(String(decoding: output.prefix(excerpt), as: UTF8.self))
        return ": it wrote '\(text)\(output.count > excerpt ? "…" : "")'"
    }

    /// Where a document is another one than described.
    private static func words(of error: any Error) -> String {
        let context: DecodingError.Context? =
            switch error as? DecodingError {
            case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context): context
            case .keyNotFound(let key, let context):
                DecodingError.Context(
                    codingPath: context.codingPath + [key], debugDescription: "it is missing")
            default: nil
            }
        guard let context else { return "\(error)" }
        let path = context.codingPath.map { key in key.intValue.map { "[\($0)]" } ?? ".\(key.stringValue)" }.joined()
        return "\(path.hasPrefix(".") ? String(path.dropFirst()) : path): \(context.debugDescription)"
    }
}
