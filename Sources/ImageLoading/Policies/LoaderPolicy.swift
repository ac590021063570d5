// SPDX-License-Identifier: Apache-2.0

/// How a library loads images, as far as its memory goes: what it buffers, limits, caches, shares and cancels.
///
/// A policy is not the library: those of other platforms do not build here. It is called so in everything that is shown,
/// and each figure of it says where it was read. How the bytes are fetched is the mode's, not the policy's.
package struct LoaderPolicy: Hashable, Sendable {
    /// Where the encoded bytes of a picture are until it is decoded.
    package enum Buffer: String, Hashable, Sendable {
        /// In memory that grows with each piece.
        case appended
        /// In memory of the expected size.
        case reserved
        case file
    }

    package enum DecodeLimit: Hashable, Sendable {
        case none
        /// Each within the operation that fetched it, so as many as downloads.
        case withDownload
        case atMost(Int)
    }

    /// What a memory cache holds at most.
    package enum MemoryLimit: Hashable, Sendable {
        case unlimited
        /// A part of the machine's memory, and never more than so many bytes.
        case memoryPercent(Int, atMost: Int?)
        /// A part or a multiple of the bytes of a screen full of pixels.
        case screenPercent(Int)
    }

    package struct Memory: Hashable, Sendable {
        package var limit: MemoryLimit
        package var cost: CostFunction
        /// How many seconds after its last use a picture is let go of, or `nil`.
        package var lifetimeSeconds: Int?

        /// Creates a cache without a lifetime.
        package init(limit: MemoryLimit, cost: CostFunction = .decoded, lifetimeSeconds: Int? = nil) {
            self.limit = limit
            self.cost = cost
            self.lifetimeSeconds = lifetimeSeconds
        }
    }

    /// What becomes of a fetch that nobody waits for any more.
    package enum Cancelling: String, Hashable, Sendable {
        /// It is cancelled when its last cell is reused.
        case automatic
        /// The application would have to; the one that is played here does not, so it runs to its end.
        case manual
        /// There is no way to.
        case none
    }

    /// At which size pictures are decoded.
    package enum Downsampling: String, Hashable, Sendable {
        case none
        /// No larger than their view.
        case toView
    }

    /// The word of `--loader` and of the column `loader`.
    package var name: String
    /// What it is called in text: `policy of Kingfisher (model)`.
    package var title: String
    /// The mode that transfers as the library does, to be measured with.
    package var closestMode: String
    /// Where encoded bytes are kept on their way.
    package var buffer: Buffer
    /// How many fetches there are at once; `nil` for no limit.
    package var downloadsAtOnce: Int?
    /// How many decodes there are at once.
    package var decodes: DecodeLimit
    /// What the decodes under way hold together at most, by the laws of the decoders; a picture that takes more is decoded
    /// alone.
    package var decodeMemory = MemoryLimit.unlimited
    /// The memory cache, or `nil` for none.
    package var memory: Memory?
    /// How the file cache is read, or `nil` where there is none.
    package var files: FileReading?
    /// Whether askers for the same URL share one fetch.
    package var coalesces: Bool
    /// What becomes of a fetch that nobody waits for.
    package var cancelling: Cancelling
    /// At which size pictures are decoded.
    package var downsampling: Downsampling
    /// Each figure in the library's own terms, with its source.
    package var figures: [Figure]

    package struct Figure: Hashable, Sendable {
        package var subject: String
        package var text: String
        /// Where that was read.
        package var source: String
    }
}

extension LoaderPolicy.MemoryLimit {
    /// The limit in bytes on a machine, or `nil` for none.
    package func byteCount(on machine: LoaderMachine) -> Int? {
        switch self {
        case .unlimited: nil
        case .memoryPercent(let percent, let most): min(machine.memoryByteCount / 100 * percent, most ?? .max)
        case .screenPercent(let percent): machine.screenByteCount * percent / 100
        }
    }
}

/// The machine that a policy's limits are about: a phone, whatever this one is, so that a model's figures do not change
/// with the memory of the machine that they are measured on.
package struct LoaderMachine: Hashable, Sendable {
    package var memoryByteCount = 6 << 30
    /// The pixels of its screen, in bytes.
    package var screenByteCount: Int

    /// Creates a machine with 6 GiB.
    package init(screenByteCount: Int) {
        self.screenByteCount = screenByteCount
    }
}
