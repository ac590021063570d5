// SPDX-License-Identifier: Apache-2.0

package struct FunctionName: Hashable, Sendable {
    package let full: String

    package init(_ full: String) { self.full = full }

    /// The name without module, types and arguments: `byAppending`, `Data.init`, `operator new`.
    package var short: String {
        if let module = moduleOfPlace { return module }
        let (head, _) = split
        return Self.lastComponents(of: head)
    }

    /// The short name with argument labels: `decode(_:)`.
    package var labelled: String {
        guard moduleOfPlace == nil else { return full }
        let (head, arguments) = split
        guard let arguments else { return Self.lastComponents(of: head) }
        return Self.lastComponents(of: head) + "(" + Self.labels(of: arguments, isSwift: isSwift) + ")"
    }

    /// Returns the name by which two builds are compared, without the optimiser's prefix.
    ///
    /// Functions without a symbol are one per module, because their offsets change with every build.
    package func identity(in module: String) -> String {
        if !module.isEmpty, full.hasPrefix(module + "+0x") { return module + "+" }
        let treatment = "specialized "
        return full.hasPrefix(treatment) ? String(full.dropFirst(treatment.count)) : full
    }

    /// The module of a name that is only an offset: `libcurl.so.4` of `libcurl.so.4+0x57a3a`.
    private var moduleOfPlace: String? {
        guard let sign = full.firstRange(of: "+0x"), !full.contains("(") else { return nil }
        return String(full[..<sign.lowerBound])
    }

    /// True for Swift, whose demangled names include the return type.
    private var isSwift: Bool { full.contains(" -> ") }

    private var split: (head: String, arguments: String?) {
        var name = plain
        var prefix = ""
        // `closure #1 in f(x:)` becomes `closure in f`.
        while let end = Self.closureEnd(in: name) {
            prefix = "closure in "
            name = String(name[end...])
        }
        let start = Self.operatorRange(in: name)?.upperBound ?? name.startIndex
        guard let open = Self.firstParenthesis(in: name, from: start) else { return (prefix + name, nil) }
        return (prefix + name[..<open], String(Self.untilClosed(name[name.index(after: open)...])))
    }

    /// The name without parentheses other than those of arguments, and without the types of properties.
    private var plain: String {
        var rest = Array(full.utf8)[...]
        if full.hasPrefix("(extension in "), let colon = rest.firstIndex(of: UInt8(ascii: ":")) {
            rest = rest[(colon + 1)...]
        }
        var plain: [UInt8] = []
        while let byte = rest.first {
            // The type of a property follows, or the version of a C library's function.
            if rest.starts(with: Self.colon) || byte == UInt8(ascii: "@") && plain.last.map(Self.isOfName) == true {
                break
            }
            if byte == UInt8(ascii: "("), let (name, length) = Self.privateName(at: rest) {
                plain += name
                rest = rest.dropFirst(length)
            } else if rest.starts(with: Self.tag), let end = rest.firstIndex(of: UInt8(ascii: "]")) {
                rest = rest[(end + 1)...]
            } else {
                plain.append(byte)
                rest = rest.dropFirst()
            }
        }
        return String(decoding: plain, as: UTF8.self)
    }

    private static let colon = Array(" : ".utf8)
    /// The tag of a function of C++ whose types differ between versions of the library: `read[abi:cxx11]()`.
    private static let tag = Array("[abi:".utf8)
    private static let anonymous = Array("(anonymous namespace)::".utf8)
    private static let file = Array(" in _".utf8)

    /// Returns the name in parentheses that are not arguments, and their length: private declarations name their file
    /// (`Module.(Type in _0A1B).f()`), and C++ has anonymous namespaces.
    private static func privateName(at text: ArraySlice<UInt8>) -> (name: ArraySlice<UInt8>, length: Int)? {
        if text.starts(with: anonymous) { return ([], anonymous.count) }
        let inner = text.dropFirst().prefix { $0 != UInt8(ascii: "(") && $0 != UInt8(ascii: ")") }
        guard inner.endIndex < text.endIndex, text[inner.endIndex] == UInt8(ascii: ")") else { return nil }
        guard let space = inner.indices.first(where: { inner[$0...].starts(with: file) }) else { return nil }
        return (inner[..<space], inner.count + 2)
    }

    private static func closureEnd(in name: String) -> String.Index? {
        guard name.hasPrefix("closure ") || name.hasPrefix("implicit closure ") else { return nil }
        return name.firstRange(of: " in ")?.upperBound
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "_") || (48...57).contains(byte) || (65...90).contains(byte & 0xdf)
    }

    /// Returns the name of an operator of C++, whose symbol may be brackets: `operator()`, `operator<<`, `operator bool`.
    fileprivate static func operatorRange(in name: String) -> Range<String.Index>? {
        guard let word = name.firstRange(of: "operator") else { return nil }
        let before = name[..<word.lowerBound]
        let rest = name[word.upperBound...]
        // Not an argument or a part of a word.
        guard !before.contains("("), before.utf8.last.map(isOfName) != true, rest.utf8.first.map(isOfName) == false
        else {
            return nil
        }
        let symbol = rest.hasPrefix("()") ? rest.prefix(2) : rest.prefix { $0 != "(" }
        // The arguments of a template stand behind a space: `operator<< <char>`.
        return word.lowerBound..<(symbol.firstRange(of: " <")?.lowerBound ?? symbol.endIndex)
    }

    private static func firstParenthesis(in name: String, from start: String.Index) -> String.Index? {
        var depth = 0
        for index in name[start...].indices {
            switch name[index] {
            case "<": depth += 1
            case ">": depth -= 1
            case "(" where depth <= 0 && index > name.startIndex: return index
            default: break
            }
        }
        return nil
    }

    private static func untilClosed(_ text: Substring) -> Substring {
        var depth = 1
        for index in text.indices {
            if text[index] == "(" { depth += 1 }
            if text[index] == ")" { depth -= 1 }
            if depth == 0 { return text[..<index] }
        }
        return text
    }

    /// The frame of a stack that is shown first.
    package enum OwnFrame {
        /// Functions that only allocate for their callers.
        private static let allocators: Set<String> = [
            "malloc", "calloc", "realloc", "reallocarray", "memalign", "aligned_alloc", "posix_memalign", "mmap",
            "mmap64",
            "valloc", "operator new", "operator new[]", "swift_allocObject", "swift_slowAlloc", "swift_slowAllocTyped",
        ]

        /// Returns the index of the innermost frame that is not the system's.
        package static func place(in stack: ArraySlice<HolderFrame>) -> Int? {
            stack.firstIndex { !$0.isSystem }
        }

        /// Returns the same, else the innermost one that does more than allocate.
        package static func bestPlace(in stack: ArraySlice<HolderFrame>) -> Int? {
            place(in: stack) ?? stack.firstIndex { !allocators.contains(FunctionName($0.function).short) }
                ?? stack.indices.first
        }
    }
}

extension FunctionName {
    /// Names that need the name of their type.
    private static let dependent: Set<String> = [
        "init", "deinit", "getter", "setter", "modify", "read", "subscript", "__allocating_init",
        "__deallocating_deinit", "willset", "didset",
    ]

    /// Returns the last name of a path, with the one before it if it is dependent.
    fileprivate static func lastComponents(of head: String) -> String {
        let closure = "closure in "
        if head.hasPrefix(closure) { return closure + lastComponents(of: String(head.dropFirst(closure.count))) }
        if head.contains("+0x") { return head }
        if let range = operatorRange(in: head) { return String(head[range]) }
        // A local function is numbered: `helper #1 in f()`.
        let words = withoutGenerics(head).split(separator: " ").filter { !$0.hasPrefix("#") }
        // The words before it are the kind of the function or, in C++, its return type.
        guard let path = words.last else { return head }
        let names = path.split(omittingEmptySubsequences: true) { $0 == "." || $0 == ":" }
        guard let last = names.last else { return head }
        // Rust's closures: `main::{{closure}}`, `main::{closure#0}`.
        if last.contains("{"), names.count > 1 { return closure + names[names.count - 2] }
        let count = dependent.contains(String(last)) ? 2 : 1
        return names.suffix(count).joined(separator: ".")
    }

    private static func withoutGenerics(_ text: String) -> String {
        let plain = String(outsideGenerics(text[...]).map { text[$0] })
        // An operator such as `<` consists of brackets only.
        return plain.isEmpty ? text : plain
    }

    /// Returns the places of a name that are outside of angle brackets; the end of an arrow is none.
    static func outsideGenerics(_ name: Substring) -> [String.Index] {
        var (places, depth, last) = ([String.Index](), 0, Character(" "))
        for place in name.indices {
            let character = name[place]
            if character == "<" { depth += 1 }
            if depth == 0 { places.append(place) }
            if character == ">", last != "-" { depth = max(0, depth - 1) }
            last = character
        }
        return places
    }

    /// Returns the labels of arguments: `_:to:` for `_: Foundation.Data, to: Swift.Int`.
    fileprivate static func labels(of arguments: String, isSwift: Bool) -> String {
        if arguments.isEmpty || arguments.allSatisfy({ $0 == ":" || $0 == "_" || $0.isLetter || $0.isNumber }),
            arguments.isEmpty || arguments.hasSuffix(":")
        {
            return arguments
        }
        guard isSwift else { return "…" }
        return topLevelParts(of: arguments).map { part in
            let label = part.prefix { $0 == "_" || $0.isLetter || $0.isNumber }
            return (part.dropFirst(label.count).hasPrefix(": ") ? label : "_") + ":"
        }.joined()
    }

    private static func topLevelParts(of text: String) -> [Substring] {
        var (parts, depth, start) = ([Substring](), 0, text.startIndex)
        for index in text.indices {
            switch text[index] {
            case "(", "<", "[": depth += 1
            case ")", "]": depth -= 1
            // The end of an arrow is not a bracket.
            case ">" where index == text.startIndex || text[text.index(before: index)] != "-": depth -= 1
            case "," where depth == 0:
                parts.append(text[start..<index])
                start = text.index(after: index)
            default: break
            }
        }
        return (parts + [text[start...]]).map { $0.drop { $0 == " " } }
    }
}

extension HolderFrame {
    /// The function with its location: `decode(_:), Decoder.swift:41`, or `grow (libcurl.so.4)`.
    package var whereabouts: String {
        let name = FunctionName(function).labelled
        guard let file else { return module.isEmpty || name.hasPrefix(module) ? name : "\(name) (\(module))" }
        return "\(name), \(file)" + (line.map { ":\($0)" } ?? "")
    }
}
