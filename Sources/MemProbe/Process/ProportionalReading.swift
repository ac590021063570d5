// SPDX-License-Identifier: Apache-2.0

/// What a process holds if each of its pages is divided by the number of processes that map it.
package struct ProportionalReading: Hashable, Sendable {
    package var anonymous: ByteCount
    package var file: ByteCount
    package var shmem: ByteCount

    package init(anonymous: ByteCount, file: ByteCount, shmem: ByteCount) {
        self.anonymous = anonymous
        self.file = file
        self.shmem = shmem
    }
}
