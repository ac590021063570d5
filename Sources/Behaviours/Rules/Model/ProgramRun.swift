// SPDX-License-Identifier: Apache-2.0

package import MemProbe
import OperatingSystem
package import Origin

package struct ProgramRun: Hashable, Sendable {
    package var output: [String]
    package var ending: Ending
    /// The reason of the ending, from its standard error.
    package var complaint: String
    package var requests: [RequestRecord]
    /// Its lifetime in nanoseconds.
    package var duration: Int
    /// The first line of the compiler's version, or `nil` if none was used.
    package var compiler: String?

    package init(
        output: [String] = [], ending: Ending, complaint: String = "", requests: [RequestRecord] = [],
        duration: Int = 0, compiler: String? = nil
    ) {
        (self.output, self.ending, self.complaint) = (output, ending, complaint)
        (self.requests, self.duration, self.compiler) = (requests, duration, compiler)
    }

    package var summary: String {
        if !output.isEmpty { return output.joined(separator: "; ") }
        return ending.obstacle(within: Double(duration) / 1e9) ?? "it printed nothing"
    }

    /// True if the program found its promise broken, trapped or hung.
    package var showsFault: Bool {
        switch ending {
        case .exited(1): !output.isEmpty
        case .signalled, .killedAtLimit: true
        case .exited, .killedOverMemory, .wroteTooMuch, .notStarted: false
        }
    }
}
