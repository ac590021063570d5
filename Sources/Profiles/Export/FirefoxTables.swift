// SPDX-License-Identifier: Apache-2.0

/// A builder of the tables that all threads of a Firefox profile share.
struct FirefoxTables {
    var strings = Numbered<String>()
    private var functions = Numbered<Function>()
    private var frames = Numbered<Frame>()
    private var nodes = Numbered<Node>()
    private var sources = Numbered<String>()
    private var modules = Numbered<String>()

    private struct Function: Hashable {
        let name: Int
        let module: Int?
        let source: Int?
    }

    private struct Frame: Hashable {
        let function: Int
        let line: Int?
        let inlineDepth: Int
        let category: Int
    }

    private struct Node: Hashable {
        let frame: Int
        let prefix: Int?
    }

    /// Returns the number of a stack, which is given innermost first; `nil` if it is empty.
    mutating func stack(of stack: [HolderFrame]) -> Int? {
        var (node, depth) = (Int?.none, 0)
        for frame in stack.reversed() {
            depth = frame.isInlined ? depth + 1 : 0
            node = nodes.place(of: Node(frame: place(of: frame, inlineDepth: depth), prefix: node))
        }
        return node
    }

    private mutating func place(of frame: HolderFrame, inlineDepth: Int) -> Int {
        let function = Function(
            name: strings.place(of: frame.function),
            module: frame.module.isEmpty ? nil : modules.place(of: frame.module),
            source: frame.file.map { sources.place(of: $0) })
        let category: FirefoxCategory = frame.module.isEmpty ? .none : frame.isSystem ? .system : .own
        return frames.place(
            of: Frame(
                function: functions.place(of: function), line: frame.line, inlineDepth: inlineDepth,
                category: category.rawValue))
    }

    /// The tables in the format's layout: a list per column.
    var shared: Shared {
        var strings = self.strings
        let resourceNames = modules.values.map { strings.place(of: $0) }
        let sourceNames = sources.values.map { strings.place(of: $0) }
        return Shared(
            stackTable: stackTable, frameTable: frameTable, funcTable: functionTable,
            resourceTable: ResourceTable(name: resourceNames),
            sources: SourceTable(filename: sourceNames), stringArray: strings.values)
    }

    private var stackTable: StackTable {
        StackTable(
            frame: nodes.values.map(\.frame),
            // The distance back to the caller's node; 0 for a root.
            prefixOffset: nodes.values.enumerated().map { index, node in node.prefix.map { index - $0 } ?? 0 },
            length: nodes.values.count)
    }

    private var frameTable: FrameTable {
        let values = frames.values
        let none = [Int?](repeating: nil, count: values.count)
        let unknown = [Int](repeating: -1, count: values.count)
        return FrameTable(
            address: unknown, lib: unknown, inlineDepth: values.map(\.inlineDepth), category: values.map(\.category),
            subcategory: [Int](repeating: 0, count: values.count), func: values.map(\.function), nativeSymbol: none,
            innerWindowID: none, line: values.map(\.line), column: none, originalLocation: none, length: values.count)
    }

    private var functionTable: FunctionTable {
        let values = functions.values
        let none = [Int?](repeating: nil, count: values.count)
        let no = [Bool](repeating: false, count: values.count)
        return FunctionTable(
            name: values.map(\.name), isJS: no, relevantForJS: no, resource: values.map { $0.module ?? -1 },
            source: values.map(\.source), lineNumber: none, columnNumber: none, originalLocation: none,
            length: values.count)
    }
}

extension FirefoxTables {
    struct Shared: Encodable {
        let stackTable: StackTable
        let frameTable: FrameTable
        let funcTable: FunctionTable
        let resourceTable: ResourceTable
        var nativeSymbols = NativeSymbols()
        let sources: SourceTable
        var sourceLocationTable = SourceLocations()
        let stringArray: [String]
    }

    struct StackTable: Encodable {
        let frame: [Int]
        let prefixOffset: [Int]
        let length: Int
    }

    struct FrameTable: Encodable {
        let address, lib, inlineDepth, category, subcategory, `func`: [Int]
        let nativeSymbol, innerWindowID, line, column, originalLocation: [Int?]
        let length: Int
    }

    struct FunctionTable: Encodable {
        let name: [Int]
        let isJS, relevantForJS: [Bool]
        let resource: [Int]
        let source, lineNumber, columnNumber, originalLocation: [Int?]
        let length: Int
    }

    /// Programs and libraries; type 1 is a library.
    struct ResourceTable: Encodable {
        let name: [Int]
        let host: [Int?]
        let type: [Int]
        let length: Int

        init(name: [Int]) {
            self.name = name
            host = name.map { _ in nil }
            type = name.map { _ in 1 }
            length = name.count
        }
    }

    struct SourceTable: Encodable {
        let filename: [Int]
        let id, sourceMapURL: [Int?]
        let content: [String?]
        let startLine, startColumn: [Int]
        let length: Int

        init(filename: [Int]) {
            self.filename = filename
            id = filename.map { _ in nil }
            sourceMapURL = id
            content = filename.map { _ in nil }
            startLine = filename.map { _ in 1 }
            startColumn = startLine
            length = filename.count
        }
    }

    /// Always empty.
    struct NativeSymbols: Encodable {
        var libIndex: [Int] = []
        var address: [Int] = []
        var name: [Int] = []
        var functionSize: [Int] = []
        var length = 0
    }

    /// Always empty.
    struct SourceLocations: Encodable {
        var source: [Int] = []
        var line: [Int] = []
        var column: [Int] = []
        var length = 0
    }
}
