// SPDX-License-Identifier: Apache-2.0

/// The frame of a stack that is shown first.
package enum OwnFrame {
    /// Functions that only allocate for their callers.
    private static let allocators: Set<String> = [
        "malloc", "calloc", "realloc", "reallocarray", "memalign", "aligned_alloc", "posix_memalign", "mmap", "mmap64",
        "valloc", "operator new", "operator new[]", "swift_allocObject", "swift_slowAlloc", "swift_slowAllocTyped",
    ]

    /// Returns the index of the innermost frame that is not the system's.
    package static func place(in stack: ArraySlice<HolderFrame>) -> Int? {
        stack.firstIndex { !$0.isSystem }
    }

    /// Returns the same, else the innermost one that does more than allocate.
    package static func bestPlace(in stack: ArraySlice<HolderFrame>) -> Int? {
        place(in: stack) ?? stack.firstIndex { !allocators.contains(FunctionName($0.function).short) }
            ?? stack.indices.first
    }
}

extension HolderFrame {
    /// The function with its location: `decode(_:), Decoder.swift:41`, or `grow (libcurl.so.4)`.
    package var whereabouts: String {
        let name = FunctionName(function).labelled
        guard let file else { return module.isEmpty || name.hasPrefix(module) ? name : "\(name) (\(module))" }
        return "\(name), \(file)" + (line.map { ":\($0)" } ?? "")
    }
}
