// SPDX-License-Identifier: Apache-2.0

/// Keeps the body as fetched: the rows without rendering.
package struct NoneModel: RenderModel {
    package let name = "none"
    package let summary = "decodes nothing and keeps the body or its file: the cost of fetching alone"
    package let needsBody = false

    package init() {}

    package func makeRenderer(_ settings: RenderSettings) throws(RenderFailure) -> any Renderer {
        Keeper()
    }

    private final class Keeper: Renderer {
        func warmUp() throws(RenderFailure) {}

        func render(_ body: consuming FetchedBody) throws(RenderFailure) -> any RenderedImage {
            KeptBody(body)
        }
    }

    private final class KeptBody: RenderedImage {
        private let body: FetchedBody

        init(_ body: consuming FetchedBody) {
            self.body = body
        }

        var decodedWidth: Int? { nil }
        var decodedHeight: Int? { nil }
        var bitmapByteCount: Int { 0 }
    }
}
