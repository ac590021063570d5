// SPDX-License-Identifier: Apache-2.0

import Glibc

/// What a child says while it works, in memory that its parent sees too: it stays when the child is killed.
struct Progress: ~Copyable, @unchecked Sendable {
    /// The descriptor under which a child has it.
    static let childDescriptor: Int32 = 3

    private static let size = 2 * MemoryLayout<Int>.size
    let descriptor: Int32
    private let words: UnsafeMutablePointer<Int>

    /// Makes a new one.
    init() throws(FuzzFailure) {
        var template = Array("/tmp/fetchbench-fuzz-XXXXXX".utf8CString)
        let descriptor = mkstemp(&template)
        unlink(template)
        try self.init(descriptor: descriptor)
    }

    /// Opens that of the parent.
    init(ofParent: Void) throws(FuzzFailure) {
        try self.init(descriptor: Self.childDescriptor)
    }

    private init(descriptor: Int32) throws(FuzzFailure) {
        self.descriptor = descriptor
        guard descriptor >= 0, ftruncate(descriptor, Self.size) == 0,
            let memory = mmap(nil, Self.size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0), memory != MAP_FAILED
        else { throw FuzzFailure("the progress of a batch cannot be shared: \(String(cString: strerror(errno)))") }
        words = memory.bindMemory(to: Int.self, capacity: 2)
    }

    deinit {
        munmap(words, Self.size)
        close(descriptor)
    }

    /// The number of the input that is being read.
    var number: Int {
        get { words[0] }
        nonmutating set { words[0] = newValue }
    }

    /// How many inputs were read without an error.
    var accepted: Int {
        get { words[1] }
        nonmutating set { words[1] = newValue }
    }
}

/// Something that stops the fuzzer itself.
struct FuzzFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
