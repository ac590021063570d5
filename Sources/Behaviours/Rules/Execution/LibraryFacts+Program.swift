// SPDX-License-Identifier: Apache-2.0

import Foundation
import MemProbe
package import ProbeProtocol

extension LibraryFacts {
    /// Returns the libraries that the probes' program loads, or `nil` if it does not answer.
    package static func reported(by program: String, environment: [String: String]) async -> LibraryFacts? {
        let launch = ChildLaunch(
            executable: program, arguments: ["--libraries"], environment: environment, limit: .seconds(30),
            outputLimit: 1 << 16)
        let output = try? await launch.run().output
        return output.flatMap { try? JSONDecoder().decode(LibraryFacts.self, from: Data($0)) }
    }
}
