// SPDX-License-Identifier: Apache-2.0

package import TrialKit

/// The modes on OpenCombine's publishers of URLSession's tasks; a new mode is one file and one line here.
package enum OpenCombineCatalog {
    /// Returns the modes in the order of `fetchbench list`; `model` decodes pictures in them, which link no decoder.
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
