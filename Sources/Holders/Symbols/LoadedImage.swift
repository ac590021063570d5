// SPDX-License-Identifier: Apache-2.0

/// A program or library in a process.
struct LoadedImage: Hashable, Sendable {
    /// From its first byte to the end of its code.
    var range: Range<UInt64>
    /// Where its file is.
    var path: String

    /// The file name.
    var name: String { path.split(separator: "/").last.map(String.init) ?? path }

    /// The images that code of a process is in, by address.
    static func images(in mappings: [Mapping]) -> [LoadedImage] {
        var images: [LoadedImage] = []
        var first: Mapping?
        for mapping in mappings where mapping.isFile {
            // Where a file is mapped anew from its start, it is loaded there.
            if mapping.offset == 0, first?.path != mapping.path || !images.isEmpty && images.last?.path == mapping.path
            {
                first = mapping
            }
            guard mapping.isExecutable, let start = first, start.path == mapping.path else { continue }
            let range = start.range.lowerBound..<mapping.range.upperBound
            if images.last?.path == mapping.path, images.last?.range.lowerBound == range.lowerBound {
                images[images.count - 1].range = range
            } else {
                images.append(LoadedImage(range: range, path: mapping.path))
            }
        }
        return images
    }
}
