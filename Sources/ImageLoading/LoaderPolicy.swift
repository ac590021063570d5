// SPDX-License-Identifier: Apache-2.0

/// A model of how a library buffers, limits, caches, shares and cancels image loads, as far as memory is affected.
///
/// It is not the library itself, because those of other platforms do not build here: all output calls it a policy, and
/// each figure names its source. The mode, not the policy, determines how bytes are fetched.
package struct LoaderPolicy: Hashable, Sendable {
    /// The storage of encoded bytes until decoding.
    package enum Buffer: String, Hashable, Sendable {
        /// Memory that grows with each piece.
        case appended
        /// Memory of the expected size.
        case reserved
        case file
    }

    package enum DecodeLimit: Hashable, Sendable {
        case none
        /// Within the operation that fetched the picture, so as many as downloads.
        case withDownload
        case atMost(Int)
    }

    package enum MemoryLimit: Hashable, Sendable {
        case unlimited
        /// A percentage of the machine's memory, up to a maximum in bytes.
        case memoryPercent(Int, atMost: Int?)
        /// A percentage of the bytes of a screen full of pixels.
        case screenPercent(Int)
    }

    package struct Memory: Hashable, Sendable {
        package var limit: MemoryLimit
        package var cost: CostFunction
        /// The seconds after its last use at which a picture expires, or `nil`.
        package var lifetimeSeconds: Int?

        package init(limit: MemoryLimit, cost: CostFunction = .decoded, lifetimeSeconds: Int? = nil) {
            (self.limit, self.cost, self.lifetimeSeconds) = (limit, cost, lifetimeSeconds)
        }
    }

    package enum Cancelling: String, Hashable, Sendable {
        /// The fetch is cancelled when its last cell is reused.
        case automatic
        /// Cancelling is up to the application; the simulated one does not, so the fetch finishes.
        case manual
        case none
    }

    package enum Downsampling: String, Hashable, Sendable {
        case none
        case toView
    }

    package var name: String
    /// The name in text: `policy of Kingfisher (model)`.
    package var title: String
    package var closestMode: String
    package var buffer: Buffer
    package var downloadsAtOnce: Int?
    package var decodes: DecodeLimit
    /// The maximum memory of simultaneous decodes, by the decoders' rules; a picture that takes more is decoded alone.
    package var decodeMemory = MemoryLimit.unlimited
    package var memory: Memory?
    /// The form in which the file cache returns images, or `nil` for no file cache.
    package var files: FileReading?
    package var coalesces: Bool
    package var cancelling: Cancelling
    package var downsampling: Downsampling
    /// The library's settings in its own terms, with their source.
    package var figures: [Figure]

    package struct Figure: Hashable, Sendable {
        package var subject: String
        package var text: String
        package var source: String
    }

    /// The machine to which limits refer: a phone, so that figures do not depend on the measuring machine's memory.
    package struct Machine: Hashable, Sendable {
        package var memoryByteCount = 6 << 30
        package var screenByteCount: Int

        package init(screenByteCount: Int) { self.screenByteCount = screenByteCount }
    }
}

extension LoaderPolicy.MemoryLimit {
    package func byteCount(on machine: LoaderPolicy.Machine) -> Int? {
        switch self {
        case .unlimited: nil
        case .memoryPercent(let percent, let most): min(machine.memoryByteCount / 100 * percent, most ?? .max)
        case .screenPercent(let percent): machine.screenByteCount * percent / 100
        }
    }
}

extension LoaderPolicy {
    package static let all = [kingfisher, nuke, sdWebImage, glideLike, dictionary, naive, best]

    package static func named(_ name: String) -> LoaderPolicy? {
        all.first { $0.name == name }
    }

    /// Kingfisher 8: a growing `Data`, 25 % of the memory for pictures.
    package static let kingfisher = LoaderPolicy(
        name: "kingfisher", title: "policy of Kingfisher (model)", closestMode: "data-delegate", buffer: .appended,
        downloadsAtOnce: 6, decodes: .withDownload,
        memory: Memory(limit: .memoryPercent(25, atMost: nil), lifetimeSeconds: 300),
        files: .copied, coalesces: true, cancelling: .manual, downsampling: .none,
        figures: figures(
            from: "Kingfisher 8.x, read 2026-07",
            [
                ("transfer and buffer", "data task, Data by append, nothing reserved"),
                ("concurrent downloads", "session's own limit (6 per host); prefetch 5"),
                ("concurrent decodes", "with the download"),
                ("memory cache", "NSCache, 25 % of RAM, cost 4·w·h, 300 s"),
                ("file cache read", "Data(contentsOf:)"), ("coalescing", "by URL"), ("cancel on reuse", "manual"),
                ("downsampling", "opt-in, from Data"),
            ]))

    /// Nuke 12: a `Data` of the expected size, its own LRU cache.
    package static let nuke = LoaderPolicy(
        name: "nuke", title: "policy of Nuke (model)", closestMode: "data-delegate", buffer: .reserved,
        // The single decode is of the header; decompressing creates the pixels, two pictures at once.
        downloadsAtOnce: 6, decodes: .atMost(2),
        memory: Memory(limit: .memoryPercent(15, atMost: 768 << 20), cost: .decodedAndEncoded),
        files: .copied, coalesces: true, cancelling: .automatic, downsampling: .none,
        figures: figures(
            from: "Nuke 12/13, read 2026-08",
            [
                ("transfer and buffer", "data task, Data with reserveCapacity"), ("concurrent downloads", "6"),
                (
                    "concurrent decodes",
                    "1 (+ 2 process, 2 decompress): pixels are made by decompressing, 2 concurrently here"
                ),
                ("memory cache", "own LRU, min(15 % of RAM, 768 MB), cost 4·w·h + data"),
                ("file cache read", "Data(contentsOf:)"), ("coalescing", "whole task graph"),
                ("cancel on reuse", "automatic"), ("downsampling", "opt-in; resumable in RAM"),
            ]))

    /// SDWebImage 5: by default no limit of the memory cache.
    package static let sdWebImage = LoaderPolicy(
        name: "sdwebimage", title: "policy of SDWebImage (model)", closestMode: "data-delegate", buffer: .reserved,
        downloadsAtOnce: 6, decodes: .withDownload, memory: Memory(limit: .unlimited),
        files: .copied, coalesces: true, cancelling: .automatic, downsampling: .none,
        figures: figures(
            from: "SDWebImage 5.x, read 2025-12",
            [
                ("transfer and buffer", "data task, NSMutableData of expected size"),
                ("concurrent downloads", "6; prefetch 3"), ("concurrent decodes", "per operation"),
                ("memory cache", "NSCache, no limit by default"), ("file cache read", "Data, mapping optional"),
                ("coalescing", "by URL"), ("cancel on reuse", "automatic"),
                ("downsampling", "opt-in, 60 MB scale-down"),
            ]))

    /// The pattern of Glide: downloads to a file, and decodes from it at the view's size.
    package static let glideLike = LoaderPolicy(
        name: "glide-like", title: "policy like Glide's (model)", closestMode: "stream", buffer: .file,
        downloadsAtOnce: 4, decodes: .atMost(4), memory: Memory(limit: .screenPercent(200)),
        files: .mapped, coalesces: true, cancelling: .automatic, downsampling: .toView,
        figures: figures(
            from: "Glide's documented pattern, read 2026-07",
            [
                ("transfer and buffer", "streamed into the file cache, decoded from the file"),
                ("concurrent downloads", "4"), ("concurrent decodes", "4"), ("memory cache", "2 screens, LRU"),
                ("file cache read", "mapped"), ("coalescing", "by key"), ("cancel on reuse", "automatic"),
                ("downsampling", "to the view, by default"),
            ]))

    /// An image cache that is a dictionary keyed by URL: no limit, no files, one fetch a request.
    package static let dictionary = LoaderPolicy(
        name: "dictionary", title: "an unbounded dictionary keyed by URL (model)", closestMode: "data",
        buffer: .reserved, downloadsAtOnce: nil, decodes: .withDownload, memory: Memory(limit: .unlimited),
        files: nil, coalesces: false, cancelling: .none, downsampling: .none,
        figures: figures(
            from: "martinmitrevski.com, Reactive image downloading and caching with RxSwift, 2016-09-20",
            [
                ("transfer and buffer", "data task"),
                ("memory cache", "a dictionary keyed by URL, to add to and to get from: no limit, nothing is removed"),
                ("file cache read", "no file cache; left to another type of the same protocol"),
                ("coalescing", "none"),
            ]))

    package static let naive = LoaderPolicy(
        name: "naive", title: "no policy: Data(contentsOf:) a cell (model)", closestMode: "sync-data",
        buffer: .reserved, downloadsAtOnce: nil, decodes: .none, memory: nil, files: nil, coalesces: false,
        cancelling: .none, downsampling: .none,
        figures: figures(
            from: "the practice that everyone is warned of",
            [("transfer and buffer", "Data(contentsOf:) a cell, no cache, no cancelling")]))

    /// This project's policy: holds only what is shown or about to be.
    package static let best = LoaderPolicy(
        name: "best", title: "policy of this project (model)", closestMode: "download", buffer: .file,
        // A progressive JPEG's coefficients are held as a whole: two of 12 megapixels would take 73 MB at once.
        downloadsAtOnce: 5, decodes: .atMost(2), decodeMemory: .screenPercent(100),
        // Fitted into cells, the visible pictures take three quarters of a screen; most of the cached ones are visible.
        memory: Memory(limit: .screenPercent(50)),
        files: .mapped, coalesces: true, cancelling: .automatic, downsampling: .toView,
        figures: figures(
            from: "this project",
            [
                ("transfer and buffer", "download task or stream to a file, mapped"), ("concurrent downloads", "5"),
                ("concurrent decodes", "2 within the memory of 1 screen, 1 that takes more"),
                ("memory cache", "LRU by 4·w·h, half a screen"),
                ("file cache read", "mapped"), ("coalescing", "by URL"), ("cancel on reuse", "automatic"),
                ("downsampling", "to the view while decoding"),
            ]))

    private static func figures(from source: String, _ figures: [(String, String)]) -> [Figure] {
        figures.map { Figure(subject: $0.0, text: $0.1, source: source) }
    }
}
