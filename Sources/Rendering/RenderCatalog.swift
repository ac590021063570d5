// SPDX-License-Identifier: Apache-2.0

package import TrialKit

package enum RenderCatalog {
    /// Every model beside `none`, in the order in which lists and help texts show them.
    package static let all: [any RenderModel] = [
        DecodingModel.imageView(), DecodingModel.thumbnail(), StreamThumbnailModel(), DecodingModel.copied(),
        DecodingModel.planar(),
    ]
}
