// SPDX-License-Identifier: Apache-2.0

/// A way of decoding and showing a fetched body.
public protocol RenderModel: Sendable {
    /// The value of `--render`, in suites and in the column `render`.
    var name: String { get }

    /// One line for `fetchbench list`.
    var summary: String { get }

    /// True if it decodes the body, which excludes modes without one.
    var needsBody: Bool { get }

    /// The kind of asset that it decodes.
    var need: AssetNeed { get }

    /// The environment that the process needs from its start, such as a decoder's own limit.
    var environment: [String: String] { get }

    /// True if it takes the body in pieces as it arrives, which excludes modes that cannot provide them.
    var takesPieces: Bool { get }

    /// Makes the renderer; a framebuffer is allocated and touched here, before the baseline.
    func makeRenderer(_ settings: RenderSettings) throws(RenderFailure) -> any Renderer
}

extension RenderModel {
    /// ``AssetNeed/image``.
    public var need: AssetNeed { .image }
    /// Empty.
    public var environment: [String: String] { [:] }
    /// `false`: most models need a whole body.
    public var takesPieces: Bool { false }
}

/// Renders bodies in the trial's process.
public protocol Renderer: AnyObject, Sendable {
    /// Renders an image of a few pixels, so that the decoder is loaded before the baseline.
    func warmUp() throws(RenderFailure)

    /// Makes the consumer of one body before anything is measured; `nil` for models that need a whole body.
    ///
    /// It is passed to ``render(_:)`` as ``FetchedBody/Content/consumed(_:)``, on any thread.
    func makeConsumer() -> (any BodyConsumer)?

    /// Renders the body; the result holds whatever the model keeps of it.
    func render(_ body: consuming FetchedBody) throws(RenderFailure) -> any RenderedImage
}

extension Renderer {
    /// `nil`: most models need a whole body.
    public func makeConsumer() -> (any BodyConsumer)? { nil }
}

/// The result of rendering: held through the phase `render`, released in `release`.
public protocol RenderedImage: AnyObject, Sendable {
    /// The decoded width in pixels; `nil` if nothing was decoded.
    var decodedWidth: Int? { get }
    /// The decoded height in pixels; `nil` if nothing was decoded.
    var decodedHeight: Int? { get }
    /// The bytes of all bitmaps alive now in the process, by the ledger of their mappings.
    var bitmapByteCount: Int { get }
    /// The number of decoded records that are held; `nil` if it is a picture.
    var recordCount: Int? { get }
    /// A remark on the figures of this picture, such as the reason for a higher cost, or `nil`.
    var note: String? { get }
}

extension RenderedImage {
    /// `nil`.
    public var recordCount: Int? { nil }
    /// `nil`.
    public var note: String? { nil }
}

/// The reason why a body could not be rendered.
public struct RenderFailure: Error, Hashable, Sendable {
    /// The kind of failure; an open set.
    public struct Code: RawRepresentable, Codable, Hashable, Sendable {
        /// The value stored in the run.
        public var rawValue: String

        /// Creates a code.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The bytes are not an image that can be decoded.
        public static let notAnImage = Code(rawValue: "not_an_image")
        /// The image is truncated; a part of the picture was decoded.
        public static let truncatedImage = Code(rawValue: "truncated_image")
        /// The image exceeds a limit: the trial is *rejected* before anything is allocated.
        public static let overLimit = Code(rawValue: "over_limit")
        /// The bytes are not a JSON document of records.
        public static let notRecords = Code(rawValue: "not_records")
        /// The format of the image is not supported; the detail names it.
        public static let unsupportedImage = Code(rawValue: "unsupported_image")
        /// The bytes cannot be read, or the memory cannot be allocated.
        public static let system = Code(rawValue: "system")
    }

    /// The kind of failure.
    public var code: Code

    /// A description without paths of this machine.
    public var detail: String

    /// Creates a failure.
    public init(_ code: Code, _ detail: String) {
        (self.code, self.detail) = (code, detail)
    }
}

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

        init(_ body: consuming FetchedBody) { self.body = body }

        var decodedWidth: Int? { nil }
        var decodedHeight: Int? { nil }
        var bitmapByteCount: Int { 0 }
    }
}
