// SPDX-License-Identifier: Apache-2.0

/// A machine that measured trials of a shard, without its name.
package struct ShardHost: Codable, Hashable, Sendable {
    /// Twelve hexadecimal digits, the same until the machine starts again, for every container on it.
    package var identifier: String
    package var environment: MachineEnvironment

    package init(identifier: String, environment: MachineEnvironment) {
        self.identifier = identifier
        self.environment = environment
    }
}

extension ShardHost {
    static let digits = 12

    static func isIdentifier(_ text: String) -> Bool {
        text.utf8.count == digits && text.allSatisfy { "0123456789abcdef".contains($0) }
    }
}
