// SPDX-License-Identifier: Apache-2.0

/// Memory that is held on purpose, to show that it is seen; a function of its own, so that whoever is asked who holds it
/// can name it.
struct PlantedMemory {
    private let bytes: [UInt8]

    /// Holds so many bytes, all of them resident.
    @inline(never)
    init(byteCount: Int) {
        bytes = [UInt8](repeating: 1, count: byteCount)
    }
}
