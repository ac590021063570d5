// SPDX-License-Identifier: Apache-2.0

package import Foundation
import Glibc
import MemProbe
import ProbeProtocol

/// The context of a probe: an origin, a folder, and a connection to the harness.
package struct ProbeContext: Sendable {
    /// The prefix of the origin's URLs.
    package let origin: String
    /// The folder for the probe's files, which is its `TMPDIR` too.
    package let directory: String
    /// The prefix of the origin's URLs over TLS; `nil` if the probe needs none.
    package let secureOrigin: String?
    /// The path of the PEM file with the authority of the origin's certificate, which the system does not trust.
    package let authority: String?

    package init(origin: String, directory: String, secureOrigin: String? = nil, authority: String? = nil) {
        self.origin = origin
        self.directory = directory
        self.secureOrigin = secureOrigin
        self.authority = authority
    }

    package func url(_ path: String) throws(ProbeError) -> URL {
        guard let url = URL(string: origin + path) else { throw ProbeError("'\(path)' makes no URL") }
        return url
    }

    package func file(_ name: String) -> String {
        directory + "/" + name
    }

    /// Reports something to the harness that only the caller can see.
    package func report(_ name: String, _ value: some CustomStringConvertible) {
        write(.fact(Fact(name, value.description)))
    }

    /// Waits while the harness reads kernel and origin.
    /// - Parameter settles: True if the harness first waits until the origin sends nothing more.
    package func mark(_ name: String, settles: Bool = false) {
        write(.mark(name, settles: settles))
        var byte: UInt8 = 0
        _ = withUnsafeMutableBytes(of: &byte) { SystemCall.readSome($0, from: STDIN_FILENO) }
    }

    /// Writes without any buffer: its content would be lost when the process traps.
    private func write(_ line: ProbeLine) {
        _ = SystemCall.writeAll(line.text.utf8, to: STDOUT_FILENO)
    }
}
