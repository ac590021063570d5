// SPDX-License-Identifier: Apache-2.0

/// The bytes of one body in the order in which they are sent, made on demand.
package protocol BodyReader: AnyObject {
    /// The number of bytes left, or `nil` if only the end will tell.
    var remaining: Int? { get }
    var isAtEnd: Bool { get }
    /// Fills the buffer with the next bytes and returns their number, which is smaller than the buffer only at the end.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(AssetError) -> Int
}

package final class PlainReader: BodyReader {
    private let source: any BodySource
    private let end: Int
    private var offset: Int

    package init(_ source: any BodySource, _ range: Range<Int>) {
        self.source = source
        self.offset = range.lowerBound
        self.end = range.upperBound
    }

    package var remaining: Int? { end - offset }

    package var isAtEnd: Bool { offset == end }

    package func read(into buffer: UnsafeMutableRawBufferPointer) throws(AssetError) -> Int {
        let count = min(buffer.count, end - offset)
        try source.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(count)), at: offset)
        offset += count
        return count
    }
}

extension ResponsePlan.Content {
    func reader() throws(AssetError) -> any BodyReader {
        if let stream { return stream() }
        return isCompressed ? try GzipReader(source, range) : PlainReader(source, range)
    }
}
