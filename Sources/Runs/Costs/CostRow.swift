// SPDX-License-Identifier: Apache-2.0

package import MemProbe
package import Statistics
import Texts
import TrialKit

/// The measurements of one program.
package struct CostRow: Hashable, Sendable {
    /// The name of the program, without a folder.
    package let name: String
    /// The linkage according to the arguments.
    package let declaredLinkage: CostLinkage
    /// The fetching mode, or `nil` if the program has none.
    package let mode: String?
    /// The length of the unstripped program file, or `nil` if it cannot be read.
    package let binary: ByteCount?
    /// The valid trials.
    package var trials: [CostTrial] = []
    /// The reason for giving up, or `nil`.
    package var failure: CostFailure?

    package init(name: String, linkage: CostLinkage, mode: String?, binary: ByteCount?) {
        self.name = name
        declaredLinkage = linkage
        self.mode = mode
        self.binary = binary
    }

    /// The linkage according to the loaded libraries; the declared one if these are unknown.
    package var linkage: CostLinkage {
        guard let libraries = trials.first?.start.inventory.libraries else { return declaredLinkage }
        return libraries.contains { Self.isSwift($0.path) } ? .dynamic : .static
    }

    /// Returns the values of a figure; `nil` if the machine does not provide it.
    package func values(of figure: CostFigure) -> Distribution? {
        Distribution(trials.compactMap(figure.value))
    }

    private static func isSwift(_ path: String) -> Bool {
        PathText.name(of: path).hasPrefix("libswiftCore.so")
    }
}
