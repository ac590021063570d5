// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The name of a symbol, and whose code it is.
struct SymbolName {
    /// As the linker knows it.
    let symbol: String
    /// As LLVM writes it, which knows C++ and Rust, but not Swift.
    let demangled: String

    /// More characters than anybody reads: names of templates may be a megabyte long.
    private static let longest = 2048
    private static let thunks = ["TA", "Ta", "To", "TO", "TR", "Tr", "TW", "Tm"]
    /// How symbols begin of the libraries of C and C++, and of the runtimes of Swift and Rust.
    private static let beginnings = [
        "_start", "_ZSt", "_ZNSt", "_ZNKSt", "_ZNSs", "_ZNKSs", "_ZN9__gnu_cxx", "_ZNK9__gnu_cxx", "_Znw", "_Zna",
        "swift_",
        "_swift_", "__rust_", "__rdl_", "__rg_", "Swift runtime failure",
    ]
    /// Modules of Swift that allocate for their callers; FoundationNetworking decides itself what it holds.
    private static let modules: Set<Substring> = [
        "Swift", "_Concurrency", "_StringProcessing", "Synchronization", "Foundation", "FoundationEssentials",
        "FoundationInternationalization", "Dispatch", "__C",
    ]
    private static let crates: Set<Substring> = ["core", "alloc", "std", "hashbrown"]

    /// The function, without the hash of Rust; what the optimiser made of a function of Swift is *specialized*.
    var function: String { String((swiftName ?? rustName ?? demangled).prefix(Self.longest)) }

    /// True for code of a language's own library, whatever it is linked into, and for what the compiler puts between two
    /// functions.
    var isOfLanguage: Bool {
        if Self.beginnings.contains(where: symbol.hasPrefix) { return true }
        if let swiftName {
            return Self.thunks.contains(where: symbol.hasSuffix)
                || Self.module(of: swiftName).map(Self.modules.contains) == true
        }
        guard let rustName else { return false }
        // `<u64 as alloc::vec::FromElem>::from_elem` is the library's, `<shop::Cart as core::clone::Clone>::clone` is not.
        let types = rustName.drop { "<&[(*".contains($0) }.split(separator: " as ", maxSplits: 1)
        let first = types.first { $0.contains("::") } ?? ""
        // Only the library has functions of a slice itself.
        return types.count == 1 && rustName.hasPrefix("<[")
            || Self.crates.contains(first.prefix { $0.isLetter || $0 == "_" || $0.isNumber })
    }

    private var swiftName: String? {
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

    /// The characters that the linker does not take in names, as rustc wrote them until 2025.
    private static let escapes = [
        ("$LT$", "<"), ("$GT$", ">"), ("$RF$", "&"), ("$BP$", "*"), ("$LP$", "("), ("$RP$", ")"), ("$C$", ","),
        ("$u20$", " "),
        ("$u5b$", "["), ("$u5d$", "]"), ("$u7b$", "{"), ("$u7d$", "}"), ("..", "::"),
    ]

    private var rustName: String? {
        if symbol.hasPrefix("_R") { return demangled }
        // The last part of the older names is a hash: `shop::main::h0123456789abcdef`.
        guard symbol.hasPrefix("_ZN"), let mark = demangled.ranges(of: "::h").last,
            demangled[mark.upperBound...].count == 16,
            demangled[mark.upperBound...].allSatisfy(\.isHexDigit)
        else { return nil }
        let name = Self.escapes.reduce(String(demangled[..<mark.lowerBound])) { $0.replacing($1.0, with: $1.1) }
        return name.hasPrefix("_<") ? String(name.dropFirst()) : name
    }
}

/// The runtime's own demangler, whose names have modules.
@_silgen_name("swift_demangle")
private func demangle(
    _ symbol: UnsafePointer<CChar>?, _ length: Int, _ output: UnsafeMutablePointer<CChar>?,
    _ size: UnsafeMutablePointer<Int>?, _ flags: UInt32
) -> UnsafeMutablePointer<CChar>?
