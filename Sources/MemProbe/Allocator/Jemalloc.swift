// SPDX-License-Identifier: Apache-2.0

import CMemProbe

/// Access to jemalloc's `mallctl` names without linking jemalloc.
enum Jemalloc {
    static var isPresent: Bool { cmemprobe_has_jemalloc() }

    /// A name that is looked up once: a read then takes 14 ns instead of 48.
    struct Name: Sendable {
        private let parts: (Int, Int, Int, Int)
        private let depth: Int

        /// Looks up a name of at most four parts such as `stats.active`; `nil` if jemalloc lacks it.
        init?(_ name: StaticString) {
            var parts = (0, 0, 0, 0)
            var depth = 4
            let status = withUnsafeMutableBytes(of: &parts) { bytes in
                name.withCString { cmemprobe_mallctlnametomib($0, bytes.bindMemory(to: Int.self).baseAddress, &depth) }
            }
            guard status == 0 else { return nil }
            self.parts = parts
            self.depth = depth
        }

        func size() -> ByteCount? {
            var value = 0
            var length = MemoryLayout<Int>.size
            let status = withUnsafeBytes(of: parts) { bytes in
                cmemprobe_mallctlbymib(bytes.bindMemory(to: Int.self).baseAddress, depth, &value, &length, nil, 0)
            }
            return status == 0 ? ByteCount(value) : nil
        }
    }

    /// Makes jemalloc update its statistics, about 6 µs per arena.
    ///
    /// The old epoch is not read: reading into the variable that is written from would break Swift's exclusive access.
    static func refreshStatistics() -> Bool {
        var epoch: UInt64 = 1
        return cmemprobe_mallctl("epoch", nil, nil, &epoch, MemoryLayout<UInt64>.size) == 0
    }

    /// Calls a name without input and output.
    static func call(_ name: StaticString) -> Bool { name.withCString { cmemprobe_mallctl($0, nil, nil, nil, 0) } == 0 }

    /// Reads a value, which must have exactly the type that jemalloc documents for the name.
    static func value<Value: BitwiseCopyable>(_ name: StaticString, from zero: Value) -> Value? {
        var value = zero
        var length = MemoryLayout<Value>.size
        let status = withUnsafeMutableBytes(of: &value) { bytes in
            name.withCString { cmemprobe_mallctl($0, bytes.baseAddress, &length, nil, 0) }
        }
        return status == 0 && length == MemoryLayout<Value>.size ? value : nil
    }

    static func text(_ name: StaticString) -> String? {
        guard let pointer = value(name, from: UnsafePointer<CChar>?.none), let pointer else { return nil }
        return String(cString: pointer)
    }
}
