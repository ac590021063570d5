// SPDX-License-Identifier: Apache-2.0

#if canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Tells the recorder of allocations where growth begins and ends, where it is loaded in front of this process.
enum RecorderNote {
    /// The instants, as `CAllocationRecorder.h` numbers them.
    enum Instant: CInt {
        case baseline = 1
        case mark = 2
        case end = 3
    }

    private typealias Function = @convention(c) (CInt) -> Void

    // Found by its name: nothing links it. NULL stands for `RTLD_DEFAULT`, a macro.
    private static let function = dlsym(nil, "allocation_recorder_note").map { unsafeBitCast($0, to: Function.self) }

    static func send(_ instant: Instant) { function?(instant.rawValue) }
}
