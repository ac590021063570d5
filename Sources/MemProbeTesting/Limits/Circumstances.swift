// SPDX-License-Identifier: Apache-2.0

/// What a figure was read under, in words for a failure.
struct Circumstances: Hashable, Sendable {
    /// Whether the tests were compiled for debugging.
    var isDebug: Bool
    var allocator: String

    /// Whether this build is one for debugging.
    static let isDebugBuild: Bool = {
        #if DEBUG
            true
        #else
            false
        #endif
    }()

    var words: String {
        let build =
            isDebug
            ? "a debug build, and limits are meant for release builds (swift test -c release): what the optimiser "
                + "leaves out is in these figures"
            : "a release build"
        return "Measured in \(build); allocator \(allocator)."
    }
}
