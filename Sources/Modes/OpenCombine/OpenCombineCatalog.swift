// SPDX-License-Identifier: Apache-2.0

package import TrialKit

/// The modes on OpenCombine's publishers of URLSession's tasks.
///
/// A new one is a file of its own and a line here.
package enum OpenCombineCatalog {
    /// The modes, in the order of `fetchbench list`.
    package static let all: [any FetchMode] = [
        PublisherDataMode(),
        PublisherDownloadMode(),
    ]
}
