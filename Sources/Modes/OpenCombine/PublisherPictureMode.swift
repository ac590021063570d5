// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationNetworking
import OpenCombine
import OpenCombineFoundation
import TrialKit
import URLSessionModes

struct PublisherPictureMode: FetchMode {
    let name = "publisher-picture"
    let summary = "download-task publisher, decode, replaceError(with: fallback), receive(on:), assign to a view"
    let caveat: String? =
        "decodes during the fetch, with a model of its program (use --render none); an undecodable picture shows "
        + "the fallback, and is counted as picture_fallbacks"
    let abilities = Set<ModeAbility>.ofCancellableSession.subtracting([.revalidation]).union([.file])
    let need: AssetNeed? = .image
    let showsItself = true
    let model: any RenderModel

    func makeFetcher(_ settings: FetchSettings) throws(FetchFailure) -> any Fetcher {
        do throws(RenderFailure) {
            let renderer = try model.makeRenderer(settings.rendering)
            try renderer.warmUp()
            return PublisherPictureFetcher(settings, renderer)
        } catch {
            throw FetchFailure(.other, "\(model.name) cannot decode here: \(error.detail)")
        }
    }

    private final class PublisherPictureFetcher: Fetcher, SessionOwner {
        let session: URLSession
        var ownsSession: Bool { settings.session != .shared }
        private let settings: FetchSettings
        private let decoder: OneAtATime
        private let fallback = FallbackPicture()

        init(_ settings: FetchSettings, _ renderer: any Renderer) {
            session = .forTrial(settings)
            self.settings = settings
            decoder = OneAtATime(renderer)
        }

        func fetch(_ request: FetchRequest) async throws(FetchFailure) -> FetchedBody {
            try SchemeCheck.check(request.url)
            let queue = OperationQueue()
            queue.maxConcurrentOperationCount = 1
            let delivery = PictureDelivery()
            let picture = try await CancellableSubscription.value(of: request) { answer in
                pictures(of: request, noting: delivery)
                    .map { $0 as (any ShownPicture)? }
                    .replaceError(with: fallback)
                    .receive(on: queue)
                    .assign(to: \.picture, on: PictureView(answer))
            }
            return try delivery.body(showing: picture)
        }

        /// Publishes one picture; fails without a body, or if the body cannot be decoded.
        private func pictures(
            of request: FetchRequest, noting delivery: PictureDelivery
        ) -> some Publisher<any ShownPicture, any Error> {
            session.filePublisher(of: request, settings).handleEvents(
                receiveOutput: { delivery.note(.success($0)) },
                receiveCompletion: {
                    if case .failure(let error) = $0 { delivery.note(.failure(.init(ofPublisher: error))) }
                }
            )
            .tryMap { [decoder] body in PublishedPicture(try decoder.picture(of: body)) }
        }
    }

    /// The result of the download, whatever the view shows; unchecked because it is used under its lock only.
    private final class PictureDelivery: @unchecked Sendable {
        private let lock = NSLock()
        private var result = Result<FetchedBody, FetchFailure>.failure(
            FetchFailure(.other, "the publisher finished without a body"))

        func note(_ result: Result<FetchedBody, FetchFailure>) {
            lock.withLock { self.result = result }
        }

        /// Returns the body with the shown picture; throws if the download failed, even if a fallback is shown.
        func body(showing picture: any ShownPicture) throws(FetchFailure) -> FetchedBody {
            var body = try lock.withLock { result }.get()
            if body.byteCount > 0 { body.picture = picture }
            return body
        }
    }

    /// An image view that reports its picture; unchecked because the chain assigns once, from its queue.
    private final class PictureView: @unchecked Sendable {
        private let shown: @Sendable (any ShownPicture) -> Void

        var picture: (any ShownPicture)? {
            didSet { if let picture { shown(picture) } }
        }

        init(_ shown: @escaping @Sendable (any ShownPicture) -> Void) { self.shown = shown }
    }

    /// Decodes one picture at a time, because all are drawn into one framebuffer.
    private final class OneAtATime: Sendable {
        private let renderer: any Renderer
        private let lock = NSLock()

        init(_ renderer: any Renderer) { self.renderer = renderer }

        func picture(of body: FetchedBody) throws -> any RenderedImage {
            try lock.withLock { try renderer.render(body) }
        }
    }

    private final class FallbackPicture: ShownPicture {
        private static let side = 64
        private let pixels = [UInt8](repeating: 0x80, count: side * side * 4)
        let isFallback = true
        var width: Int { Self.side }
        var height: Int { Self.side }
        var bitmapByteCount: Int { pixels.count }
    }

    private final class PublishedPicture: ShownPicture {
        private let image: any RenderedImage
        let isFallback = false
        var width: Int { image.decodedWidth ?? 0 }
        var height: Int { image.decodedHeight ?? 0 }
        var bitmapByteCount: Int { image.bitmapByteCount }

        init(_ image: any RenderedImage) { self.image = image }
    }
}
