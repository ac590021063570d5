// SPDX-License-Identifier: Apache-2.0

import Foundation
import OperatingSystem
package import Runs

/// The file of `--cacert`.
package enum CertificateFile {
    /// The largest bundle that is read; those of distributions have 200 KiB.
    private static let longest = 16 << 20

    /// Returns the path of a plan's certificate authority, or `nil` if it has none.
    /// - Throws: ``PlanMistake`` if it cannot be read or holds no certificate.
    package static func path(for plan: Plan, in harness: HarnessContext) throws -> String? {
        guard let stored = plan.settings.certificateAuthority else { return nil }
        let path = harness.absolute(harness.path(stored: stored))
        let text: String
        do throws(FileFailure) {
            text = String(decoding: try WholeFile.data(at: path, name: stored, upTo: longest), as: UTF8.self)
        } catch {
            throw PlanMistake("--cacert '\(stored)' cannot be read (\(error.reason)): expected a PEM file")
        }
        guard text.contains("-----BEGIN CERTIFICATE-----") else {
            throw PlanMistake("--cacert '\(stored)' has no certificate: expected a PEM file")
        }
        return path
    }
}
