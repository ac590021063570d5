// SPDX-License-Identifier: Apache-2.0

package import TrialKit

/// The modes on a socket and nothing else.
///
/// A new one is a file of its own and a line here.
package enum RawCatalog {
    /// The modes, in the order of `fetchbench list`.
    package static let all: [any FetchMode] = [
        RawMode(),
        RawDropMode(),
    ]
}
