// SPDX-License-Identifier: Apache-2.0

import Hashing

/// A machine that measured trials of a shard, without its name.
package struct ShardHost: Codable, Hashable, Sendable {
    /// Twelve hexadecimal digits, the same until the machine starts again, for every container on it.
    package var identifier: String
    package var environment: MachineEnvironment

    package init(identifier: String, environment: MachineEnvironment) {
        (self.identifier, self.environment) = (identifier, environment)
    }
}

extension ShardHost {
    private static let digits = 12

    /// Returns the identifier of this machine.
    ///
    /// The source is the kernel's random boot identifier, hashed with a name of the user's, so that neither can be
    /// recovered from it. Without a boot identifier, each call returns another one.
    package static func identifier(besides name: String) -> String {
        let boot = String(kernelFile: "/proc/sys/kernel/random/boot_id") ?? "\(UInt64.random(in: 0...UInt64.max))"
        return String(SHA256.hexadecimal(of: Array((boot + name).utf8)).prefix(digits))
    }

    static func isIdentifier(_ text: String) -> Bool {
        text.utf8.count == digits && text.allSatisfy { "0123456789abcdef".contains($0) }
    }
}
