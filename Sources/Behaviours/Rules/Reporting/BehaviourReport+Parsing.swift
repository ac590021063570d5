// SPDX-License-Identifier: Apache-2.0

package import Foundation

extension BehaviourReport {
    /// The reason why a file is not a behaviour report.
    package struct Malformed: Error, Hashable, Sendable {
        package var reason: String
    }

    /// Parses a `behaviours.json`.
    package init(parsing data: Data) throws(Malformed) {
        struct Version: Decodable {
            var schema: Int
        }
        guard let version = try? JSONDecoder().decode(Version.self, from: data) else {
            throw Malformed(reason: "not a behaviours.json")
        }
        guard version.schema == Self.currentSchema else {
            throw Malformed(reason: "it has schema \(version.schema), and this version reads \(Self.currentSchema)")
        }
        guard let report = try? JSONDecoder().decode(BehaviourReport.self, from: data) else {
            throw Malformed(reason: "a row of it lacks something, or has an unknown word")
        }
        self = report
    }
}
