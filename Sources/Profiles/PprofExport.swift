// SPDX-License-Identifier: Apache-2.0

import CZlib
import Texts

extension HolderProfile {
    /// A profile as gzipped `profile.proto` for pprof, Perfetto and speedscope.
    ///
    /// Every row is a sample, residues with a synthetic frame, so all samples sum to the kernel's figure. Samples of memory
    /// given back since the mark are negative, which the format allows. Labels are the `state` of a holder (`live`,
    /// `reallocated`, `freed`), `sampled` (scaled up from samples of small blocks), and the kind of `residue`.
    ///
    /// The fields are those of https://github.com/google/pprof/blob/main/proto/profile.proto.
    func pprof() throws -> [UInt8] {
        var tables = PprofTables(ProfileRows(self))
        let message = tables.message(comments: ProfileFacts(self).all.map { "\($0.label): \($0.value)" })
        return try gzipped(message)
    }
}

/// A builder of the tables of a profile.proto, to which samples refer by number.
private struct PprofTables {
    private let rows: ProfileRows
    private var strings = Numbered<String>(startingWith: [""])
    private var mappings = Numbered<String>()
    private var functions = Numbered<Function>()
    private var locations = Numbered<[Int]>()

    /// A function without its own line, since only the line of the call is known.
    private struct Function: Hashable {
        let name: String
        let module: String
        let file: String?
    }

    init(_ rows: ProfileRows) {
        self.rows = rows
        // By convention the first mapping is the program: the first one with own code.
        if let program = rows.frames.first(where: { !$0.isSystem && !$0.module.isEmpty }) {
            _ = mappings.place(of: program.module)
        }
    }

    mutating func message(comments: [String]) -> [UInt8] {
        var writer = ProtobufWriter()
        // By the format's convention the count is first and the preferred value last.
        valueType(1, "inuse_objects", "count", &writer)
        valueType(1, "inuse_space", "bytes", &writer)
        for row in rows.rows { sample(row, &writer) }
        for place in locations.values.indices { location(place, &writer) }
        for place in functions.values.indices { function(place, &writer) }
        for place in mappings.values.indices { mapping(place, &writer) }
        // The period is one byte: values are totals, not to be scaled.
        valueType(11, "space", "bytes", &writer)
        writer.integer(12, 1)
        writer.integers(13, comments.map { strings.place(of: $0) })
        writer.integer(14, strings.place(of: "inuse_space"))
        for string in strings.values { writer.string(6, string) }
        return writer.bytes
    }

    private mutating func valueType(_ field: UInt64, _ type: String, _ unit: String, _ writer: inout ProtobufWriter) {
        let (type, unit) = (strings.place(of: type), strings.place(of: unit))
        writer.message(field) { inner in
            inner.integer(1, type)
            inner.integer(2, unit)
        }
    }

    private mutating func sample(_ row: ProfileRows.Row, _ writer: inout ProtobufWriter) {
        let places = locationGroups(of: row.stack).map { locations.place(of: $0) + 1 }
        let labels = self.labels(of: row.origin).map { (strings.place(of: $0.key), strings.place(of: $0.value)) }
        writer.message(2) { inner in
            inner.integers(1, places)
            inner.integers(2, [row.blockCount, row.bytes])
            for (key, value) in labels {
                inner.message(3) { label in
                    label.integer(1, key)
                    label.integer(2, value)
                }
            }
        }
    }

    private func labels(of origin: ProfileRows.Origin) -> [(key: String, value: String)] {
        switch origin {
        case .holder(let state, let isEstimate):
            [("state", state.rawValue)] + (isEstimate ? [("sampled", "yes")] : [])
        case .residue(let kind): [("residue", kind.rawValue)]
        case .unattributed: [("residue", "unattributed")]
        }
    }

    /// Returns the frames grouped by location: each function with those inlined into it, innermost first.
    private func locationGroups(of stack: [Int]) -> [[Int]] {
        var (groups, group) = ([[Int]](), [Int]())
        for place in stack {
            group.append(place)
            if !rows.frames[place].isInlined {
                groups.append(group)
                group = []
            }
        }
        return group.isEmpty ? groups : groups + [group]
    }

    private mutating func location(_ place: Int, _ writer: inout ProtobufWriter) {
        let frames = locations.values[place].map { rows.frames[$0] }
        let mapping = frames.last.map(\.module).map { $0.isEmpty ? 0 : mappings.place(of: $0) + 1 } ?? 0
        let lines = frames.map { frame in
            let function = Function(name: frame.function, module: frame.module, file: frame.file)
            return (function: functions.place(of: function) + 1, line: frame.line ?? 0)
        }
        writer.message(4) { inner in
            inner.integer(1, place + 1)
            inner.integer(2, mapping)
            for line in lines {
                inner.message(4) { message in
                    message.integer(1, line.function)
                    message.integer(2, line.line)
                }
            }
        }
    }

    private mutating func function(_ place: Int, _ writer: inout ProtobufWriter) {
        let function = functions.values[place]
        let (name, file) = (strings.place(of: function.name), strings.place(of: function.file ?? ""))
        writer.message(5) { inner in
            inner.integer(1, place + 1)
            inner.integer(2, name)
            // Without a system name pprof leaves the name alone; else it would strip what it takes for C++ arguments.
            inner.integer(4, file)
        }
    }

    /// Writes a program or library, flagged as having symbols, so readers do not look for them.
    private mutating func mapping(_ place: Int, _ writer: inout ProtobufWriter) {
        let name = strings.place(of: mappings.values[place])
        writer.message(3) { inner in
            inner.integer(1, place + 1)
            inner.integer(5, name)
            for field: UInt64 in 7...10 { inner.integer(field, 1) }
        }
    }

    /// A writer of Protocol Buffers (https://protobuf.dev/programming-guides/encoding): varints, and fields with a length.
    struct ProtobufWriter {
        private(set) var bytes: [UInt8] = []

        private enum WireType: UInt64 {
            case varint = 0
            case length = 2
        }

        /// Writes an integer unless it is zero; booleans are 0 or 1, and negative integers take 10 bytes.
        mutating func integer(_ field: UInt64, _ value: Int) {
            guard value != 0 else { return }
            tag(field, .varint)
            varint(UInt64(bitPattern: Int64(value)))
        }

        mutating func integers(_ field: UInt64, _ values: [Int]) {
            guard !values.isEmpty else { return }
            var packed = ProtobufWriter()
            for value in values { packed.varint(UInt64(bitPattern: Int64(value))) }
            bytes(field, packed.bytes)
        }

        /// Writes a string, even if it is empty: tables of strings begin with the empty one.
        mutating func string(_ field: UInt64, _ value: String) {
            bytes(field, Array(value.utf8))
        }

        mutating func message(_ field: UInt64, _ write: (inout ProtobufWriter) -> Void) {
            var inner = ProtobufWriter()
            write(&inner)
            bytes(field, inner.bytes)
        }

        private mutating func bytes(_ field: UInt64, _ content: [UInt8]) {
            tag(field, .length)
            varint(UInt64(content.count))
            bytes += content
        }

        private mutating func tag(_ field: UInt64, _ type: WireType) {
            varint(field << 3 | type.rawValue)
        }

        private mutating func varint(_ value: UInt64) {
            var rest = value
            while rest >= 0x80 {
                bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
                rest >>= 7
            }
            bytes.append(UInt8(rest))
        }
    }

    /// A table of distinct values in the order of their first use, to which formats refer by number.
    struct Numbered<Value: Hashable> {
        private(set) var values: [Value] = []
        private var places: [Value: Int] = [:]

        init(startingWith values: [Value] = []) {
            for value in values { _ = place(of: value) }
        }

        /// Returns the number of a value, from 0, adding it if it is new.
        mutating func place(of value: Value) -> Int {
            if let place = places[value] { return place }
            places[value] = values.count
            values.append(value)
            return values.count - 1
        }
    }
}

private func uncompressed(_ status: Int32) -> FetchBenchError {
    FetchBenchError("zlib could not compress the profile (status \(status)): there is too little memory")
}

/// Compresses bytes reproducibly: the header has neither time nor name.
private func gzipped(_ content: [UInt8]) throws -> [UInt8] {
    var stream = z_stream()
    let prepared = czlib_deflate_init_gzip(&stream)
    guard prepared == Z_OK else { throw uncompressed(prepared) }
    defer { deflateEnd(&stream) }
    var input = content
    var output = [UInt8](repeating: 0, count: Int(deflateBound(&stream, uLong(input.count))))
    let (status, count) = input.withUnsafeMutableBufferPointer { source in
        output.withUnsafeMutableBufferPointer { target in
            stream.next_in = source.baseAddress
            stream.avail_in = uInt(source.count)
            stream.next_out = target.baseAddress
            stream.avail_out = uInt(target.count)
            // The output's bound holds for a single call with Z_FINISH.
            return (deflate(&stream, Z_FINISH), target.count - Int(stream.avail_out))
        }
    }
    guard status == Z_STREAM_END else { throw uncompressed(status) }
    return Array(output.prefix(count))
}
