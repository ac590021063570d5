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
            self.limit = limit
            self.cost = cost
            self.lifetimeSeconds = lifetimeSeconds
        }
    }

    /// The handling of a fetch that has no more callers.
    package enum Cancelling: String, Hashable, Sendable {
        /// The fetch is cancelled when its last cell is reused.
        case automatic
        /// Cancelling is up to the application; the simulated one does not, so the fetch finishes.
        case manual
        /// Cancelling is not supported.
        case none
    }

    package enum Downsampling: String, Hashable, Sendable {
        case none
        case toView
    }

    /// The argument of `--loader` and value of the column `loader`.
    package var name: String
    /// The name in text: `policy of Kingfisher (model)`.
    package var title: String
    /// The mode that transfers as the library does.
    package var closestMode: String
    package var buffer: Buffer
    /// The maximum of simultaneous fetches, or `nil` for no limit.
    package var downloadsAtOnce: Int?
    package var decodes: DecodeLimit
    /// The maximum memory of simultaneous decodes, by the decoders' rules; a picture that takes more is decoded alone.
    package var decodeMemory = MemoryLimit.unlimited
    package var memory: Memory?
    /// The form in which the file cache returns images, or `nil` for no file cache.
    package var files: FileReading?
    /// True if requests for the same URL share one fetch.
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
}

extension LoaderPolicy.MemoryLimit {
    package func byteCount(on machine: LoaderMachine) -> Int? {
        switch self {
        case .unlimited: nil
        case .memoryPercent(let percent, let most): min(machine.memoryByteCount / 100 * percent, most ?? .max)
        case .screenPercent(let percent): machine.screenByteCount * percent / 100
        }
    }
}

/// The machine to which limits refer: a phone, so that figures do not depend on the measuring machine's memory.
package struct LoaderMachine: Hashable, Sendable {
    package var memoryByteCount = 6 << 30
    package var screenByteCount: Int

    package init(screenByteCount: Int) {
        self.screenByteCount = screenByteCount
    }
}
