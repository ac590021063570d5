// SPDX-License-Identifier: Apache-2.0

import Foundation
package import ProbeKit
import Subprocess
import SystemPackage

/// The program that holds the probes.
package struct ProbeProgram: Sendable {
    private let path: String

    /// Names it by its path.
    package init(path: String) {
        self.path = path
    }

    /// What it has loaded, or `nil` where it does not answer.
    package func libraries() async -> LibraryFacts? {
        let result = try? await Subprocess.run(
            .path(FilePath(path)), arguments: ["--libraries"], output: .bytes(limit: 1 << 16), error: .discarded)
        return result.flatMap { try? JSONDecoder().decode(LibraryFacts.self, from: Data($0.standardOutput)) }
    }
}
