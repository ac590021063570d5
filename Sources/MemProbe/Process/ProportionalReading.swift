// SPDX-License-Identifier: Apache-2.0

/// The proportional set size of a process: each page divided by the number of processes that map it.
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
