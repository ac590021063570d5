// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials
package import TrialKit

/// The encoded image, where the fetch left it: nothing is copied to decode it.
package enum EncodedBytes: Sendable {
    /// In memory that the fetch allocated.
    case memory(any ContiguousBytes & Sendable)
    case mapped(MappedFile)

    /// Takes over a body, and maps it where it is a file.
    ///
    /// - Throws: ``RenderFailure/Code/notAnImage`` where there is no body, ``RenderFailure/Code/system`` where its
    ///   file cannot be mapped.
    package init(_ body: consuming FetchedBody) throws(RenderFailure) {
        switch body.content {
        case .nothing: throw RenderFailure(.notAnImage, "nothing was fetched")
        case .consumed: throw RenderFailure(.notAnImage, "the body was consumed while it arrived")
        case .memory(let bytes): self = .memory(bytes)
        case .file(let path): self = .mapped(try MappedFile(path: path))
        }
    }

    /// Lends the bytes for the duration of a call.
    package func withBytes<R>(
        _ body: (UnsafeRawBufferPointer) throws(RenderFailure) -> R
    ) throws(RenderFailure) -> R {
        switch self {
        case .mapped(let file):
            return try file.withUnsafeBytes(body)
        case .memory(let bytes):
            return try bytes.lend(to: body)
        }
    }
}
