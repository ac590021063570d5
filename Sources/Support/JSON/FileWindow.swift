// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A file that is read in pieces: the part of it that is in memory, which moves on as its beginning is done with.
package final class FileWindow {
    private let descriptor: Int32
    private let name: String
    private var memory: UnsafeMutablePointer<UInt8>
    /// How much of the file is in memory, in bytes; it grows with what is asked for at once.
    private var capacity = 1 << 20
    private var filled = 0
    private var done = 0

    /// Opens a file.
    /// - Parameter name: what to call the file in errors.
    package init(path: String, name: String) throws(FileFailure) {
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileFailure.cannotRead(name: name, errno: errno) }
        self.name = name
        memory = .allocate(capacity: capacity)
    }

    deinit {
        memory.deallocate()
        close(descriptor)
    }

    /// What of the file is in memory and not done with; it lives until ``more()`` is called.
    package var bytes: UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: memory + done, count: filled - done)
    }

    /// Is done with so many bytes.
    package func advance(by count: Int) {
        done += count
    }

    /// Reads on: a half of the room at least is free before.
    /// - Returns: whether there was more.
    package func more() throws(FileFailure) -> Bool {
        makeRoom()
        while true {
            let count = read(descriptor, memory + filled, capacity - filled)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw FileFailure.cannotRead(name: name, errno: errno) }
            filled += count
            return count > 0
        }
    }

    private func makeRoom() {
        let kept = filled - done
        if kept > capacity / 2 {
            capacity *= 2
            let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
            larger.update(from: memory + done, count: kept)
            memory.deallocate()
            memory = larger
        } else if kept > 0 {
            memmove(memory, memory + done, kept)
        }
        done = 0
        filled = kept
    }
}
