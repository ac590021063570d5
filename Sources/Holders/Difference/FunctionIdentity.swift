// SPDX-License-Identifier: Apache-2.0

/// What a function is in every build.
struct FunctionIdentity: Hashable, Comparable {
    private let function: String
    private let module: String

    init(_ frame: HolderFrame) {
        function = FunctionName(frame.function).identity(in: frame.module)
        module = frame.module
    }

    static func < (left: Self, right: Self) -> Bool {
        (left.function, left.module) < (right.function, right.module)
    }
}
