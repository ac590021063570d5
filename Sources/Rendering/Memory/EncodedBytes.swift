// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials
package import TrialKit

/// The encoded image, decoded without a copy from where the fetch left it.
package enum EncodedBytes: Sendable {
    case memory(any ContiguousBytes & Sendable)
    case mapped(MappedFile)

    /// Takes over a body, mapping it if it is a file.
    package init(_ body: consuming FetchedBody) throws(RenderFailure) {
        switch body.content {
        case .nothing: throw RenderFailure(.notAnImage, "nothing was fetched")
        case .consumed: throw RenderFailure(.notAnImage, "the body was consumed while it arrived")
        case .memory(let bytes): self = .memory(bytes)
        case .file(let path): self = .mapped(try MappedFile(path: path))
        }
    }

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
