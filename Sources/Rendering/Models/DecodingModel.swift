// SPDX-License-Identifier: Apache-2.0

package import TrialKit

/// A render model that decodes the body and shows it with a function.
package struct DecodingModel: RenderModel {
    package let name: String
    package let summary: String
    package let needsBody = true
    package let environment = [DecoderMemory.environment.name: DecoderMemory.environment.value]
    private let ledger: BitmapLedger
    private let show: Show

    /// Decodes a body, draws it into the stage's framebuffer, and returns what the model keeps.
    ///
    /// Only the kept part of the body may be alive when it returns.
    typealias Show = @Sendable (consuming FetchedBody, RenderStage) throws(RenderFailure) -> any RenderedImage

    init(_ name: String, _ summary: String, ledger: BitmapLedger = .process, show: @escaping Show) {
        self.name = name
        self.summary = summary
        self.ledger = ledger
        self.show = show
    }

    package func makeRenderer(_ settings: RenderSettings) throws(RenderFailure) -> any Renderer {
        Decoding(try RenderStage(settings, ledger: ledger), show)
    }

    private final class Decoding: Renderer {
        private let stage: RenderStage
        private let show: Show

        init(_ stage: RenderStage, _ show: @escaping Show) {
            self.stage = stage
            self.show = show
        }

        func warmUp() throws(RenderFailure) {
            for body in stage.warmUpBodies { _ = try show(body, stage) }
        }

        func render(_ body: consuming FetchedBody) throws(RenderFailure) -> any RenderedImage {
            try show(consume body, stage)
        }
    }
}
