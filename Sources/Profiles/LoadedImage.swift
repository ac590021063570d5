// SPDX-License-Identifier: Apache-2.0

struct LoadedImage: Hashable, Sendable {
    /// From its first byte to the end of its code.
    var range: Range<UInt64>
    var path: String

    var name: String { path.split(separator: "/").last.map(String.init) ?? path }
    var isSystem: Bool { SystemCode.isLibrary(at: path) }

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

    /// Code of the language and the system, where users do not look for a line to change.
    enum SystemCode {
        /// Libraries of the language that only allocate for their callers, wherever they are installed.
        ///
        /// FoundationNetworking is excluded, because a session decides itself what it holds.
        private static let libraries = [
            "libswift", "libFoundation.so", "libFoundationEssentials.so", "libFoundationInternationalization.so",
            "lib_FoundationICU.so", "libdispatch.so", "libBlocksRuntime.so",
        ]
        private static let deciding = "libFoundationNetworking.so"
        private static let folders = ["/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/"]
        /// Parts of the paths of languages' own sources, as their toolchains install or name them: what is compiled into a
        /// program, or inlined, allocates for its callers.
        private static let sources = [
            "/include/c++/", "/usr/include/", "/include/d/", "/rustc/", "/rustlib/src/", "/lib/zig/std/",
            "/usr/lib/go-",
            "/usr/local/go/src/",
        ]

        static func isLibrary(at path: String) -> Bool {
            let name = path.split(separator: "/").last ?? ""
            guard !name.hasPrefix(deciding) else { return false }
            let isShared = name.contains(".so")
            return libraries.contains { name.hasPrefix($0) } || isShared && folders.contains { path.hasPrefix($0) }
        }

        /// Indicates whether a source belongs to a language's own library.
        static func isSource(at path: String) -> Bool { sources.contains { path.contains($0) } }
    }
}
