// SPDX-License-Identifier: Apache-2.0

import Foundation
import Measuring
package import ProbeProtocol

package struct ProbeProgram: Sendable {
    private let path: String

    package init(path: String) {
        self.path = path
    }

    /// Returns the libraries that the program loads, or `nil` if it does not answer.
    package func libraries(environment: [String: String]) async -> LibraryFacts? {
        let order = ProcessOrder(
            program: path, arguments: ["--libraries"], environment: environment, outputLimit: 1 << 16,
            limit: .seconds(30))
        let output = try? await ProcessLauncher().launch(order).output
        return output.flatMap { try? JSONDecoder().decode(LibraryFacts.self, from: Data($0)) }
    }
}
