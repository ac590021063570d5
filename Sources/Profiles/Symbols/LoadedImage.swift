// SPDX-License-Identifier: Apache-2.0

/// A program or library in a process.
struct LoadedImage: Hashable, Sendable {
    /// From its first byte to the end of its code.
    var range: Range<UInt64>
    var path: String

    var name: String { path.split(separator: "/").last.map(String.init) ?? path }

    /// Returns the images with code in a process, ordered by address.
    static func images(in mappings: [Mapping]) -> [LoadedImage] {
        var images: [LoadedImage] = []
        var first: Mapping?
        var end: UInt64?
        for mapping in mappings where mapping.isFile {
            // An image begins where its file is mapped from offset 0; a program may also map its own file to read it.
            let isAnew = first?.path != mapping.path || images.last?.path == mapping.path
            if mapping.offset == 0, isAnew || end != mapping.range.lowerBound { first = mapping }
            end = mapping.range.upperBound
            guard mapping.isExecutable, let start = first, start.path == mapping.path else { continue }
            // The mappings are read while the process runs, and a recording may have been edited.
            guard start.range.lowerBound < mapping.range.upperBound else { continue }
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
