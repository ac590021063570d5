// SPDX-License-Identifier: Apache-2.0

import Glibc
import TrialKit

/// Anonymous pages of their own, zero until written, given back to the kernel the moment they are dropped.
///
/// Memory from `malloc` would not do: glibc keeps freed blocks resident, which looks like a leak of the image.
///
/// Unchecked, because the pages are written by the one task that renders, before anyone else can see them.
final class Mapping: @unchecked Sendable {
    /// The pages; valid while this object lives.
    let bytes: UnsafeMutableRawBufferPointer

    /// Maps the whole pages that hold `byteCount` bytes.
    ///
    /// - Throws: ``RenderFailure/Code/system`` where the kernel refuses.
    ///
    /// The corresponding C function is `mmap`.
    init(byteCount: Int) throws(RenderFailure) {
        let pageSize = Int(getpagesize())
        let rounded = (max(byteCount, 1) + pageSize - 1) / pageSize * pageSize
        let start = mmap(nil, rounded, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let start, start != MAP_FAILED else {
            throw RenderFailure(.system, "cannot map \(rounded) bytes: \(systemMessage(errno))")
        }
        bytes = UnsafeMutableRawBufferPointer(start: start, count: rounded)
    }

    deinit {
        munmap(bytes.baseAddress, bytes.count)
    }

    /// Writes every page, so that all of them are resident from now on.
    func touch() {
        bytes.initializeMemory(as: UInt8.self, repeating: 0)
    }
}

/// What the system says about an error number.
func systemMessage(_ number: CInt) -> String {
    String(cString: strerror(number))
}
