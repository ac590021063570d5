// SPDX-License-Identifier: Apache-2.0

import Foundation
import Measuring
package import ProbeProtocol

extension LibraryFacts {
    /// Returns the libraries that the probes' program loads, or `nil` if it does not answer.
    package static func reported(by program: String, environment: [String: String]) async -> LibraryFacts? {
        let order = ProcessOrder(
            program: program, arguments: ["--libraries"], environment: environment, outputLimit: 1 << 16,
            limit: .seconds(30))
        let output = try? await ProcessLauncher().launch(order).output
        return output.flatMap { try? JSONDecoder().decode(LibraryFacts.self, from: Data($0)) }
    }
}
