// SPDX-License-Identifier: Apache-2.0

public import FetchBenchKit

/// The render models of this build.
public enum RenderCatalog {
    /// Every model, in the order in which lists and help texts show them.
    public static let all: [any RenderModel] = [NoneModel(), ImageViewModel(), ThumbnailModel()]
}
