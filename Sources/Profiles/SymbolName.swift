// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The function of a symbol, and whether it belongs to a language's own library.
struct SymbolName {
    /// The full name without Rust's hash; optimised copies of a function of Swift are *specialized*.
    let function: String
    /// True for code of a language's library or runtime, whatever it is linked into, and for thunks of the compiler.
    let isOfLanguage: Bool

    /// The longest name that is kept: those of templates may have a megabyte.
    private static let longest = 2048
    private static let thunks = ["TA", "Ta", "To", "TO", "TR", "Tr", "TW", "Tm"]
    /// Prefixes of symbols of C++'s library and its `operator new`, of the C runtime's start, and of the runtimes of Swift
    /// and Rust.
    private static let prefixes = [
        "_start", "_ZSt", "_ZNSt", "_ZNKSt", "_ZNSs", "_ZNKSs", "_ZN9__gnu_cxx", "_ZNK9__gnu_cxx", "_Znw", "_Zna",
        "swift_", "_swift_", "Swift runtime failure", "__rust_", "__rdl_", "__rg_",
    ]
    /// Modules of Swift that allocate for their callers, unlike the sessions of FoundationNetworking.
    private static let modules: Set<Substring> = [
        "Swift", "_Concurrency", "_StringProcessing", "Synchronization", "Foundation", "FoundationEssentials",
        "FoundationInternationalization", "Dispatch", "__C",
    ]
    private static let crates: Set<Substring> = ["core", "alloc", "std", "hashbrown"]

    /// - Parameters:
    ///   - symbol: The mangled name.
    ///   - demangled: The name from LLVM, which demangles C++ and Rust, but not Swift.
    init(symbol: String, demangled: String) {
        let swift = Self.swiftName(of: symbol)
        let rust = Self.rustName(of: symbol, demangled)
        function = String((swift ?? rust ?? demangled).prefix(Self.longest))
        let isOfSwift = swift.map { name in
            Self.thunks.contains(where: symbol.hasSuffix) || Self.module(of: name).map(Self.modules.contains) == true
        }
        isOfLanguage =
            Self.prefixes.contains(where: symbol.hasPrefix) || isOfSwift ?? rust.map(Self.isOfRust) ?? false
    }

    /// Indicates whether a function belongs to Rust's library: `<u64 as alloc::vec::FromElem>::from_elem` does, but not
    /// `<shop::Cart as core::clone::Clone>::clone`.
    private static func isOfRust(_ name: String) -> Bool {
        let types = name.drop { "<&[(*".contains($0) }.split(separator: " as ", maxSplits: 1)
        // Only the library can declare functions of a slice.
        if types.count == 1, name.hasPrefix("<[") { return true }
        let first = types.first { $0.contains("::") } ?? ""
        return crates.contains(first.prefix { $0.isLetter || $0 == "_" || $0.isNumber })
    }

    private static func swiftName(of symbol: String) -> String? {
        guard symbol.hasPrefix("$s"), let text = demangle(symbol, symbol.utf8.count, nil, nil, 0) else { return nil }
        defer { free(text) }
        var name = String(cString: text)[...]
        if name.hasPrefix("merged ") { name = name.dropFirst("merged ".count) }
        // `generic specialization <Swift.Int> of X`
        var isSpecialized = false
        while let word = name.firstRange(of: " specialization <"),
            !name[..<word.lowerBound].contains(where: { ".(<".contains($0) }),
            let end = FunctionName.outsideGenerics(name).first(where: { name[$0...].hasPrefix(" of ") })
        {
            name = name[end...].dropFirst(" of ".count)
            isSpecialized = true
        }
        return (isSpecialized ? "specialized " : "") + name
    }

    /// Returns the module that declares a function, or that of the extension that does; `nil` if unknown.
    private static func module(of swiftName: String) -> Substring? {
        let name = String(FunctionName.outsideGenerics(swiftName[...]).map { swiftName[$0] })
        if let end = name.firstRange(of: "(extension in ")?.upperBound { return name[end...].prefix { $0 != ")" } }
        // `closure #1 () -> () in X`, `protocol witness for P in conformance X`; private names are `(f in _0A1B)`.
        let isWithin = name.contains("closure #") || name.contains("witness for ")
        let start = isWithin ? name.ranges(of: " in ").last { !name[$0.upperBound...].hasPrefix("_") }?.upperBound : nil
        return name[(start ?? name.startIndex)...].prefix { $0 != "." }.split(separator: " ").last
    }

    /// The escapes of rustc's older mangling, for characters that symbols cannot have.
    private static let escapes = [
        ("$LT$", "<"), ("$GT$", ">"), ("$RF$", "&"), ("$BP$", "*"), ("$LP$", "("), ("$RP$", ")"), ("$C$", ","),
        ("..", "::"),
        ("$u20$", " "), ("$u5b$", "["), ("$u5d$", "]"), ("$u7b$", "{"), ("$u7d$", "}"),
    ]

    private static func rustName(of symbol: String, _ demangled: String) -> String? {
        if symbol.hasPrefix("_R") { return demangled }
        // The older mangling ends with a hash: `shop::main::h0123456789abcdef`.
        guard symbol.hasPrefix("_ZN"), let mark = demangled.ranges(of: "::h").last,
            case let hash = demangled[mark.upperBound...], hash.count == 16, hash.allSatisfy(\.isHexDigit)
        else { return nil }
        let name = escapes.reduce(String(demangled[..<mark.lowerBound])) { $0.replacing($1.0, with: $1.1) }
        return name.hasPrefix("_<") ? String(name.dropFirst()) : name
    }
}

/// The demangler of Swift's runtime, which includes the modules.
@_silgen_name("swift_demangle")
private func demangle(
    _ symbol: UnsafePointer<CChar>?, _ length: Int, _ output: UnsafeMutablePointer<CChar>?,
    _ size: UnsafeMutablePointer<Int>?, _ flags: UInt32
) -> UnsafeMutablePointer<CChar>?
