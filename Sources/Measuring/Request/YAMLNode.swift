// SPDX-License-Identifier: Apache-2.0

import CYAML
import Runs

/// A node of a YAML document that libyaml composed.
///
/// A node that several aliases refer to is not copied, so that a short text cannot take much memory.
struct YAMLNode {
    /// The memory of libyaml, until no node of the document is left.
    private final class Composed {
        var document = yaml_document_t()

        deinit { yaml_document_delete(&document) }

        func node(_ index: yaml_node_item_t) -> YAMLNode? {
            yaml_document_get_node(&document, index).map { YAMLNode(composed: self, contents: $0) }
        }
    }

    private let composed: Composed
    private let contents: UnsafeMutablePointer<yaml_node_t>

    static func root(of text: String, fileName: String) throws -> YAMLNode? {
        var parser = yaml_parser_t()
        guard yaml_parser_initialize(&parser) == 1 else {
            throw FetchBenchError.malformedSuite(name: fileName, reason: "out of memory")
        }
        defer { yaml_parser_delete(&parser) }
        // libyaml reads from there whenever it is asked for a document.
        let bytes = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: text.utf8.count)
        defer { bytes.deallocate() }
        yaml_parser_set_input_string(&parser, bytes.baseAddress, bytes.initialize(fromContentsOf: text.utf8))
        func next() throws -> Composed {
            let composed = Composed()
            guard yaml_parser_load(&parser, &composed.document) == 1 else {
                let problem = parser.problem.map { String(cString: $0) } ?? "out of memory"
                // For a forbidden character libyaml gives an offset instead of a line.
                let newlines =
                    parser.error == YAML_READER_ERROR
                    ? text.utf8.prefix(parser.problem_offset).count { $0 == 0x0A } : Int(parser.problem_mark.line)
                throw FetchBenchError.malformedSuite(
                    name: fileName, reason: "not YAML: line \(newlines + 1): \(problem)")
            }
            return composed
        }
        let composed = try next()
        // The root is the first node of a document.
        guard let root = composed.node(1) else { return nil }
        guard try next().node(1) == nil else {
            throw FetchBenchError.malformedSuite(name: fileName, reason: "not YAML: more than one document")
        }
        // libyaml accepts duplicate keys, of which one would silently win.
        for node in (1...).lazy.map({ composed.node($0) }).prefix(while: { $0 != nil }) {
            var words: Set<String> = []
            for (key, _) in node?.mapping ?? [] where !words.insert(key.string ?? "").inserted {
                throw FetchBenchError.malformedSuite(
                    name: fileName, reason: "not YAML: line \(key.line): duplicate key '\(key.string ?? "")'")
            }
        }
        return root
    }

    /// The number of the line where it begins, from 1.
    var line: Int { Int(contents.pointee.start_mark.line) + 1 }

    /// A scalar of any type as it is written, without its quotes.
    var string: String? {
        guard contents.pointee.type == YAML_SCALAR_NODE else { return nil }
        let scalar = contents.pointee.data.scalar
        return String(decoding: UnsafeBufferPointer(start: scalar.value, count: scalar.length), as: UTF8.self)
    }

    var sequence: [YAMLNode]? {
        guard contents.pointee.type == YAML_SEQUENCE_NODE else { return nil }
        let items = contents.pointee.data.sequence.items
        return UnsafeBufferPointer(start: items.start, count: items.top - items.start).compactMap(composed.node)
    }

    var mapping: [(key: YAMLNode, value: YAMLNode)]? {
        guard contents.pointee.type == YAML_MAPPING_NODE else { return nil }
        let pairs = contents.pointee.data.mapping.pairs
        return UnsafeBufferPointer(start: pairs.start, count: pairs.top - pairs.start).compactMap { pair in
            guard let key = composed.node(pair.key), let value = composed.node(pair.value) else { return nil }
            return (key, value)
        }
    }
}
