// SPDX-License-Identifier: Apache-2.0

package import MemProbe
package import Statistics
import Texts
import TrialKit

/// What was measured of one program.
package struct CostRow: Hashable, Sendable {
    /// The name of the program, without a folder.
    package let name: String
    /// How it was said to be built.
    package let declaredLinkage: CostLinkage
    /// The mode that fetched, or `nil` where the program has none.
    package let mode: String?
    /// The length of its file, as it was built; `nil` where it cannot be read.
    package let binary: ByteCount?
    /// The trials that count.
    package var trials: [CostTrial] = []
    /// Why it was given up, or `nil`.
    package var failure: CostFailure?

    /// Creates the row of something that was measured elsewhere.
    package init(name: String, linkage: CostLinkage, mode: String?, binary: ByteCount?) {
        self.name = name
        declaredLinkage = linkage
        self.mode = mode
        self.binary = binary
    }

    /// How it is really built, by what it loaded; what was said, where it loaded nothing that tells.
    package var linkage: CostLinkage {
        guard let libraries = trials.first?.start.inventory.libraries else { return declaredLinkage }
        return libraries.contains { Self.isSwift($0.path) } ? .dynamic : .static
    }

    /// The values of a figure over the trials; `nil` where the machine does not give it.
    package func values(of figure: CostFigure) -> Distribution? {
        Distribution(trials.compactMap(figure.value))
    }

    /// Whether a library is that of the language itself.
    private static func isSwift(_ path: String) -> Bool {
        PathText.name(of: path).hasPrefix("libswiftCore.so")
    }
}
