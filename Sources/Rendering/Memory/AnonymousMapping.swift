// SPDX-License-Identifier: Apache-2.0

import Glibc
import TrialKit

/// Anonymous pages, zero until written, returned to the kernel when released.
///
/// Memory from `malloc` is unsuitable: glibc keeps freed blocks resident, which looks like a leak of the image.
///
/// Unchecked, because only the rendering task writes the pages, before others can see them.
final class AnonymousMapping: @unchecked Sendable {
    /// The pages, valid while this object lives.
    let bytes: UnsafeMutableRawBufferPointer

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

    /// Makes every page resident by writing it.
    func touch() {
        bytes.initializeMemory(as: UInt8.self, repeating: 0)
    }
}

func systemMessage(_ number: CInt) -> String {
    String(cString: strerror(number))
}
