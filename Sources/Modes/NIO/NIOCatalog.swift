// SPDX-License-Identifier: Apache-2.0

package import TrialKit

/// The modes on SwiftNIO.
///
/// A new one is a file of its own and a line here.
package enum NIOCatalog {
    /// The modes, in the order of `fetchbench list`.
    package static let all: [any FetchMode] = [
        NIOStreamMode()
    ]
}
