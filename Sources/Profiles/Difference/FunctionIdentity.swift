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

    /// What stands for the program itself, of which each process has one: its file may be called `old` in one build.
    private static let program = "(program)"

    private static func isLibrary(_ module: String) -> Bool {
        module.isEmpty || module.hasSuffix(".so") || module.contains(".so.")
    }

    static func < (left: Self, right: Self) -> Bool {
        (left.function, left.module) < (right.function, right.module)
    }
}
