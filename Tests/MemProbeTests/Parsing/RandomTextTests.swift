// SPDX-License-Identifier: Apache-2.0

import MemProbe
import TestSupport
import Testing

/// No parser traps, whatever its input.
struct RandomTextTests {
    /// Damages a recording: bytes changed, a part cut out, the end cut off.
    private func damaged(_ text: String, with generator: inout Seeded) -> [UInt8] {
        var bytes = Array(text.utf8)
        for _ in 0..<Int.random(in: 0...8, using: &generator) {
            bytes[Int.random(in: bytes.indices, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
        }
        let first = Int.random(in: bytes.indices, using: &generator)
        let second = Int.random(in: bytes.indices, using: &generator)
        bytes.removeSubrange(min(first, second)..<max(first, second))
        return Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &generator)))
    }

    @Test(arguments: [Recording.linux3x10, .linux4x4, .linux4x18, .linux5x10, .linux6x1, .linux6x18])
    func damagedFilesAreUnderstoodOrRefused(recording: Recording) throws {
        var generator = Seeded(state: 20_240_601)
        var refused = 0
        for _ in 0..<2000 {
            let statm = damaged(recording.statm, with: &generator)
            let status = damaged(recording.status, with: &generator)
            let stat = damaged(recording.stat, with: &generator)
            let rollup = damaged(recording.smapsRollup ?? recording.status, with: &generator)
            if (try? StatmFile(parsing: statm.span)) == nil { refused += 1 }
            if (try? StatusFile(parsing: status.span)) == nil { refused += 1 }
            if (try? StatFile(parsing: stat.span)) == nil { refused += 1 }
            if (try? SmapsRollup(parsing: rollup.span)) == nil { refused += 1 }
            _ = try? Sockstat(parsing: status.span)
            _ = try? ExecutableFiles(parsing: status.span)
            if let sums = try? SmapsRollup(parsing: rollup.span) { _ = try? ResidentParts(sums) }
        }
        #expect(refused > 1000 && refused < 8000)
    }
}
