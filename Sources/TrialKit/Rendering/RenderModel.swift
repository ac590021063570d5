// SPDX-License-Identifier: Apache-2.0

/// What is done with the bytes after the fetch, to simulate showing them.
public protocol RenderModel: Sendable {
    /// The word of `--render`, the suites and the column `render`.
    var name: String { get }

    /// One line for `fetchbench list`: what it does and what it stands for.
    var summary: String { get }

    /// Whether it decodes the body, so that a mode without one cannot be combined with it.
    var needsBody: Bool { get }

    /// What the process needs in its environment from its start, such as a decoder's own limit.
    var environment: [String: String] { get }

    /// Whether it takes the body in pieces while it arrives, so that only modes which hand them out can be combined
    /// with it.
    var takesPieces: Bool { get }

    /// Makes what renders in this process; a framebuffer is allocated and touched here, before the baseline.
    func makeRenderer(_ settings: RenderSettings) throws(RenderFailure) -> any Renderer
}

extension RenderModel {
    /// Nothing.
    public var environment: [String: String] { [:] }
    /// No: most models want a whole body.
    public var takesPieces: Bool { false }
}

/// What renders, inside the trial's process.
public protocol Renderer: AnyObject, Sendable {
    /// Renders an image of a few pixels, so that the decoder is loaded before the baseline.
    func warmUp() throws(RenderFailure)

    /// Makes what takes one body while it arrives, before anything is measured; `nil` where a whole one is wanted.
    ///
    /// It comes back to ``render(_:)`` as ``FetchedBody/Content/consumed(_:)``, on whichever thread that is.
    func makeConsumer() -> (any BodyConsumer)?

    /// Renders the body; what the model keeps of the body is kept by the result.
    func render(_ body: consuming FetchedBody) throws(RenderFailure) -> any RenderedImage
}

extension Renderer {
    /// None: most models want a whole body.
    public func makeConsumer() -> (any BodyConsumer)? { nil }
}

/// What rendering left behind: held through the phase `render`, dropped in `release`.
public protocol RenderedImage: AnyObject, Sendable {
    /// The width of what was decoded, in pixels; `nil` where nothing was.
    var decodedWidth: Int? { get }
    /// The height of what was decoded, in pixels; `nil` where nothing was.
    var decodedHeight: Int? { get }
    /// The bytes of bitmaps alive now in the whole process, by the ledger of their mappings.
    var bitmapByteCount: Int { get }
    /// What a reader of its figures has to know of this picture, or `nil`: why it has cost more than its model says.
    var note: String? { get }
}

extension RenderedImage {
    /// Nothing.
    public var note: String? { nil }
}

/// Why a body could not be rendered.
public struct RenderFailure: Error, Hashable, Sendable {
    /// The kind of failure; an open set.
    public struct Code: RawRepresentable, Codable, Hashable, Sendable {
        /// The word stored in the run.
        public var rawValue: String

        /// Creates a code from the word stored in a run.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The bytes are no image that can be decoded.
        public static let notAnImage = Code(rawValue: "not_an_image")
        /// The image ends early; a part of the picture was decoded.
        public static let truncatedImage = Code(rawValue: "truncated_image")
        /// The image claims more than a limit allows: the trial is *rejected*, before anything is allocated.
        public static let overLimit = Code(rawValue: "over_limit")
        /// The bytes are an image of a kind that nothing here decodes; the detail names it.
        public static let unsupportedImage = Code(rawValue: "unsupported_image")
        /// The bytes cannot be read, or the memory cannot be had.
        public static let system = Code(rawValue: "system")
    }

    /// The kind of failure.
    public var code: Code

    /// What happened, in words, without paths of this machine.
    public var detail: String

    /// Creates a failure.
    public init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = detail
    }
}
