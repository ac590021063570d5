// SPDX-License-Identifier: Apache-2.0

import Glibc
import MemProbe

/// A file that is read in pieces: the part of it that is in memory, which moves on as its beginning is done with.
package final class FileWindow {
    private let descriptor: Int32
    private let name: String
    private var memory: UnsafeMutablePointer<UInt8>
    private var capacity: Int
    private var filled = 0
    private var done = 0
    /// Whether nothing comes behind what is in memory.
    package private(set) var isWhole = false

    /// Opens a file.
    /// - Parameters:
    ///   - name: what to call the file in errors.
    ///   - capacity: how much of it is in memory at first, in bytes; it grows with what is asked for at once.
    package init(path: String, name: String, capacity: Int = 1 << 20) throws(FileFailure) {
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileFailure.cannotRead(name: name, errno: errno) }
        self.name = name
        self.capacity = capacity
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
        let free = UnsafeMutableRawBufferPointer(start: memory + filled, count: capacity - filled)
        let count = SystemCall.readSome(free, from: descriptor)
        guard count >= 0 else { throw FileFailure.cannotRead(name: name, errno: errno) }
        filled += count
        isWhole = count == 0
        return count > 0
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
