// SPDX-License-Identifier: Apache-2.0

/// Memory held on purpose, to prove that it is detected; allocated in its own function, which a profile can name.
struct PlantedMemory {
    private let bytes: [UInt8]

    @inline(never)
    init(byteCount: Int) {
        bytes = [UInt8](repeating: 1, count: byteCount)
    }
}
