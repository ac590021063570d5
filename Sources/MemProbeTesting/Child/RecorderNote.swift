// SPDX-License-Identifier: Apache-2.0

#if canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Tells the allocation recorder, if it is loaded, where growth begins and ends.
enum RecorderNote {
    /// The instants, with the numbers of `CAllocationRecorder.h`.
    enum Instant: CInt {
        case baseline = 1
        case mark = 2
        case end = 3
    }

    private typealias Function = @convention(c) (CInt) -> Void

    // Looked up by name, because it is not linked. NULL stands for `RTLD_DEFAULT`, a macro.
    private static let function = dlsym(nil, "allocation_recorder_note").map { unsafeBitCast($0, to: Function.self) }

    static func send(_ instant: Instant) { function?(instant.rawValue) }
}
