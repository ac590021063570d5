// SPDX-License-Identifier: Apache-2.0

package import TrialKit

package enum RenderCatalog {
    /// The models except `none`, in the order of lists and help texts.
    package static let all: [any RenderModel] = [
        DecodingModel.imageView(), DecodingModel.thumbnail(), StreamThumbnailModel(), DecodingModel.copied(),
        DecodingModel.planar(),
    ]
}
