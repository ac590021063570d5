// SPDX-License-Identifier: Apache-2.0

struct FunctionIdentity: Hashable, Comparable {
    private let function: String
    private let module: String

    init(_ frame: HolderFrame) {
        let name = FunctionName(frame.function).identity(in: frame.module)
        let isLibrary = Self.isLibrary(frame.module)
        module = isLibrary ? frame.module : Self.program
        function = !isLibrary && name == frame.module + "+" ? Self.program + "+" : name
    }

    /// Stands for the program itself, whose file name may differ between builds.
    private static let program = "(program)"

    private static func isLibrary(_ module: String) -> Bool {
        module.isEmpty || module.hasSuffix(".so") || module.contains(".so.")
    }

    static func < (left: Self, right: Self) -> Bool {
        (left.function, left.module) < (right.function, right.module)
    }
}
