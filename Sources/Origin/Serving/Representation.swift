// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOHTTP1
package import NIOPosix
import Runs
import Synchronization

package struct Representation: Sendable {
    package var source: any BodySource
    package var mediaType: String
    package var tag: EntityTag
}

extension Representation {
    package init<Body: GeneratedBody>(_ body: Body) {
        self.init(
            source: body, mediaType: Body.mediaType,
            tag: EntityTag("\(Body.kind.segment)-\(Body.version)-\(body.byteCount)-\(body.seed)"))
    }

    package init(_ image: StoredImage) {
        self.init(
            source: image.file, mediaType: image.image.frame.mediaType,
            tag: EntityTag(String(image.sha256.prefix(32))))
    }

    /// Creates the representation of a manifest, identified by its hash because its content depends on the encoders.
    package init(_ manifest: GalleryManifest) throws {
        let bytes = MemoryBytes(try manifest.json())
        let tag = EntityTag(String(try bytes.sha256().prefix(32)))
        self.init(source: bytes, mediaType: GalleryManifest.mediaType, tag: tag)
    }

    package func response(to request: OriginRequest, _ delivery: Delivery) -> ResponsePlan {
        var plan = (delivery.encoding == .gzip ? compressed : self).undelayed(request, delivery)
        plan.delayMilliseconds = delivery.delayMilliseconds
        return plan
    }

    private var compressed: Representation {
        var other = self
        other.tag = tag.compressed
        return other
    }

    private func undelayed(_ request: OriginRequest, _ delivery: Delivery) -> ResponsePlan {
        var headers: HTTPHeaders = ["ETag": tag.text]
        // A range of a compressed body would require compressing everything before it.
        let hasRanges = delivery.hasRanges && delivery.encoding != .gzip
        if delivery.isNegotiated { headers.add(name: "Vary", value: "Accept-Encoding") }
        if hasRanges { headers.add(name: "Accept-Ranges", value: "bytes") }
        if let seconds = delivery.cacheSeconds {
            headers.add(name: "Cache-Control", value: "max-age=\(seconds)")
            headers.add(name: "Date", value: HTTPDate.now.text)
        }
        if tag.matches(ifNoneMatch: request.headers["If-None-Match"]) {
            return ResponsePlan(status: .notModified, headers: headers)
        }
        let fields = request.headers["Range"]
        guard hasRanges, request.method == .GET, fields.count == 1,
            let range = fields.first.flatMap(ByteRange.init(parsing:)),
            tag.allowsRange(ifRange: request.headers.first(name: "If-Range"))
        else {
            let plan = body(.ok, 0..<source.byteCount, headers, delivery)
            return fields.isEmpty ? plan.cut(after: delivery.cut).stalled(after: delivery.stall) : plan
        }
        guard let bytes = range.resolved(in: source.byteCount) else {
            headers.add(name: "Content-Range", value: "bytes */\(source.byteCount)")
            return .text(.rangeNotSatisfiable, "the body has \(source.byteCount) bytes", headers: headers)
        }
        let value = "bytes \(bytes.lowerBound)-\(bytes.upperBound - 1)/\(source.byteCount)"
        headers.add(name: "Content-Range", value: value)
        return body(.partialContent, bytes, headers, delivery)
    }

    private func body(
        _ status: HTTPResponseStatus, _ bytes: Range<Int>, _ headers: HTTPHeaders, _ delivery: Delivery
    ) -> ResponsePlan {
        var headers = headers
        headers.add(name: "Content-Type", value: mediaType)
        switch delivery.encoding {
        case .length: headers.add(name: "Content-Length", value: "\(bytes.count)")
        case .chunked: headers.add(name: "Transfer-Encoding", value: "chunked")
        case .gzip:
            headers.add(name: "Content-Encoding", value: "gzip")
            headers.add(name: "Transfer-Encoding", value: "chunked")
        }
        var content = ResponsePlan.Content(source, bytes)
        content.isCompressed = delivery.encoding == .gzip
        if delivery.encoding == .chunked { content.chunk = delivery.chunk?.rawValue }
        return ResponsePlan(status: status, headers: headers, content: content, rate: delivery.rate)
    }
}

/// The images that an origin has open, and the gallery's manifest.
///
/// Making or verifying one takes too long for an event loop, so a separate thread does it, once per origin.
package final class ImageShelf: Sendable {
    private let library: AssetLibrary
    private let pool: NIOThreadPool
    private let items = Mutex<[Route.Item: Representation]>([:])

    package init(library: AssetLibrary, pool: NIOThreadPool) {
        (self.library, self.pool) = (library, pool)
    }

    func representation(of item: Route.Item, on eventLoop: any EventLoop) -> EventLoopFuture<Representation> {
        if let found = items.withLock({ $0[item] }) {
            return eventLoop.makeSucceededFuture(found)
        }
        return pool.runIfActive(eventLoop: eventLoop) { [self] in
            // The pool has one thread, so a request that waited for the maker finds the item here.
            if let found = items.withLock({ $0[item] }) { return found }
            let made =
                switch item {
                case .image(let image): Representation(try library.stored(image))
                case .manifest: try Representation(GalleryManifest(try library.gallery()))
                }
            items.withLock { $0[item] = made }
            return made
        }
    }
}
