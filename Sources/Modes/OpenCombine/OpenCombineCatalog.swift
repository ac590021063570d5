// SPDX-License-Identifier: Apache-2.0

package import TrialKit

/// The modes on OpenCombine's publishers of URLSession's tasks.
///
/// A new one is a file of its own and a line here.
package enum OpenCombineCatalog {
    /// The modes, in the order of `fetchbench list`.
    /// - Parameter model: how pictures are decoded within a chain of publishers; the modes themselves know no decoder.
    package static func all(decodingWith model: any RenderModel) -> [any FetchMode] {
        [
            PublisherDataMode(),
            PublisherDownloadMode(),
            PublisherShareMode(),
            PublisherConnectableMode(),
            PublisherRetryCatchMode(),
            PublisherDecodeMode(),
            PublisherPictureMode(model: model),
        ]
    }
}
