// SPDX-License-Identifier: Apache-2.0

/// Where people look first in a stack.
package enum OwnFrame {
    /// Functions that allocate for whoever calls them: none of them is an answer.
    private static let allocators: Set<String> = [
        "malloc", "calloc", "realloc", "reallocarray", "memalign", "aligned_alloc", "posix_memalign", "mmap", "mmap64",
        "valloc", "operator new", "operator new[]", "swift_allocObject", "swift_slowAlloc", "swift_slowAllocTyped",
    ]

    /// The place of the first function that somebody wrote who is not the system, seen from the allocation.
    package static func place(in stack: ArraySlice<HolderFrame>) -> Int? {
        stack.firstIndex { !$0.isSystem }
    }

    /// The same, or the first one that does more than allocate.
    package static func bestPlace(in stack: ArraySlice<HolderFrame>) -> Int? {
        place(in: stack) ?? stack.firstIndex { !allocators.contains(FunctionName($0.function).short) }
            ?? stack.indices.first
    }
}

extension HolderFrame {
    /// The function as it is called, and where it stands: `decode(_:), Decoder.swift:41`, or `grow (libcurl.so.4)`.
    package var whereabouts: String {
        let name = FunctionName(function).labelled
        guard let file else { return module.isEmpty || name.hasPrefix(module) ? name : "\(name) (\(module))" }
        return "\(name), \(file)" + (line.map { ":\($0)" } ?? "")
    }
}
