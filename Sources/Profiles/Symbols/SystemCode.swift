// SPDX-License-Identifier: Apache-2.0

/// What belongs to the language and the system, so that nobody looks there for the line that is to be changed.
enum SystemCode {
    /// Libraries of the language that only hand on what their callers ask for, wherever they are installed.
    ///
    /// FoundationNetworking is none of them: a session decides by itself what it holds.
    private static let libraries = [
        "libswift", "libFoundation.so", "libFoundationEssentials.so", "libFoundationInternationalization.so",
        "lib_FoundationICU.so", "libdispatch.so", "libBlocksRuntime.so",
    ]
    private static let deciding = "libFoundationNetworking.so"
    /// The folders that systems keep their libraries in.
    private static let folders = ["/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/"]
    /// Functions of the language's runtime and library, where they are linked statically or specialised for a program.
    private static let functions = [
        "swift_", "_swift_", "specialized Array.", "specialized ContiguousArray.", "Data.", "NSData.", "NSMutableData.",
        "specialized Data.",
    ]

    /// Whether a library is of the language or the system.
    static func isLibrary(at path: String) -> Bool {
        let name = path.split(separator: "/").last ?? ""
        guard !name.hasPrefix(deciding) else { return false }
        let isShared = name.contains(".so")
        return libraries.contains { name.hasPrefix($0) } || isShared && folders.contains { path.hasPrefix($0) }
    }

    /// What runs before anything that people write.
    private static let starts: Set = ["_start"]

    /// Whether a function is of the language, whatever it is linked into.
    static func isNamed(_ function: String) -> Bool {
        functions.contains { function.hasPrefix($0) } || starts.contains(function)
    }
}

extension LoadedImage {
    /// Whether it is of the language or the system.
    var isSystem: Bool { SystemCode.isLibrary(at: path) }
}
