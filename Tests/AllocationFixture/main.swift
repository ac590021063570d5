// SPDX-License-Identifier: Apache-2.0

import Glibc

// Each scene allocates a known number of bytes at a known line: tests search for the words after `planted:`.

/// Keeps the optimiser from leaving out what nobody reads.
@inline(never)
func touch(_ memory: UnsafeMutableRawPointer, _ count: Int) {
    memory.initializeMemory(as: UInt8.self, repeating: 1, count: count)
}

@inline(never)
func holdEight() -> UnsafeMutableRawPointer {
    let memory = UnsafeMutableRawPointer.allocate(byteCount: 8 << 20, alignment: 16)  // planted: eight
    touch(memory, 8 << 20)
    return memory
}

@inline(never)
func holdSixteen() -> UnsafeMutableRawPointer {
    let memory = UnsafeMutableRawPointer.allocate(byteCount: 16 << 20, alignment: 16)  // planted: sixteen
    touch(memory, 16 << 20)
    return memory
}

/// Grows a block by doubling it, as buffers do.
@inline(never)
func double(to byteCount: Int) -> UnsafeMutableRawPointer? {
    var count = 64 << 10
    var memory = malloc(count)
    while count < byteCount {
        count *= 2
        memory = realloc(memory, count)  // planted: doubled
        memory.map { touch($0, count) }
    }
    return memory
}

@inline(never)
func holdSmall(_ blockCount: Int, of byteCount: Int) -> [UnsafeMutableRawPointer] {
    (0..<blockCount).map { _ in
        let memory = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: 8)  // planted: small
        touch(memory, byteCount)
        return memory
    }
}

@inline(never)
func holdUntouched() -> UnsafeMutableRawPointer? {
    let memory = malloc(32 << 20)  // planted: untouched
    memory.map { touch($0, 2 << 20) }
    return memory
}

@inline(never)
func readUntouched() -> UnsafeMutableRawPointer? {
    guard let memory = calloc(1, 32 << 20) else { return nil }  // planted: zeros
    var sum = 0
    for page in 0..<(32 << 20) / 4096 { sum += Int(memory.load(fromByteOffset: page * 4096, as: UInt8.self)) }
    return sum == 0 ? memory : nil
}

@inline(never)
func holdMapped() -> UnsafeMutableRawPointer? {
    let size = 12 << 20
    let memory = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)  // planted: mapped
    memory.map { touch($0, size) }
    return memory
}

/// Frees on another thread what this one has allocated.
@inline(never)
func giveBackElsewhere(_ memory: UnsafeMutableRawPointer) {
    var thread = pthread_t()
    pthread_create(
        &thread, nil,
        { memory in
            free(memory)
            return nil
        }, memory)
    pthread_join(thread, nil)
}

switch CommandLine.arguments.dropFirst().first {
case "planted":
    let (eight, sixteen) = (holdEight(), holdSixteen())
    free(eight)
    free(sixteen)
case "doubled": free(double(to: 32 << 20))
case "small": holdSmall(1_000_000, of: 48).forEach { free($0) }
case "untouched":
    free(holdUntouched())
    free(readUntouched())
case "mapped": holdMapped().map { _ = munmap($0, 12 << 20) }
case "elsewhere":
    // Freed before the peak, so not held at it.
    giveBackElsewhere(holdEight())
    free(holdSixteen())
default: exit(64)
}
