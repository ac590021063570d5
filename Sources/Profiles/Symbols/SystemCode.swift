// SPDX-License-Identifier: Apache-2.0

/// Code of the language and the system, where users do not look for a line to change.
enum SystemCode {
    /// Libraries of the language that only allocate for their callers, wherever they are installed.
    ///
    /// FoundationNetworking is excluded, because a session decides itself what it holds.
    private static let libraries = [
        "libswift", "libFoundation.so", "libFoundationEssentials.so", "libFoundationInternationalization.so",
        "lib_FoundationICU.so", "libdispatch.so", "libBlocksRuntime.so",
    ]
    private static let deciding = "libFoundationNetworking.so"
    private static let folders = ["/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/"]
    /// Functions of the language's runtime and library that are linked statically or specialised for a program.
    private static let functions = [
        "swift_", "_swift_", "specialized Array.", "specialized ContiguousArray.", "Data.", "NSData.", "NSMutableData.",
        "specialized Data.",
    ]

    /// Indicates whether a library belongs to the language or the system.
    static func isLibrary(at path: String) -> Bool {
        let name = path.split(separator: "/").last ?? ""
        guard !name.hasPrefix(deciding) else { return false }
        let isShared = name.contains(".so")
        return libraries.contains { name.hasPrefix($0) } || isShared && folders.contains { path.hasPrefix($0) }
    }

    /// Functions that run before the program's own code.
    private static let starts: Set = ["_start"]

    /// Indicates whether a function belongs to the language or the system, whatever it is linked into.
    static func isNamed(_ function: String) -> Bool {
        functions.contains { function.hasPrefix($0) } || starts.contains(function)
    }
}

extension LoadedImage {
    var isSystem: Bool { SystemCode.isLibrary(at: path) }
}
