// SPDX-License-Identifier: Apache-2.0

/// The conditions of a measurement, for the message of a failure.
struct Circumstances: Hashable, Sendable {
    var isDebug: Bool
    var allocator: String

    /// True if this package was built for debugging.
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
            ? "a debug build, whose figures are higher; limits are meant for release builds "
                + "(swift test -c release)"
            : "a release build"
        return "Measured in \(build); allocator \(allocator)."
    }
}
