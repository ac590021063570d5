// SPDX-License-Identifier: Apache-2.0

import MemProbe
import MemProbeTesting
import Testing

/// Limits that are written as formulas.
struct LimitFormulaTests {
    @Test(arguments: [
        ("4 MiB", 4_194_304), ("1.2 * size + 4 MiB", 12_582_912 + 4_194_304), ("size / 2", 5_242_880),
        ("(size + 2 MiB) * 2 - 1KiB", 25_164_800), ("size - -size", 20_971_520), ("1e3 B", 1000),
        ("size * (size / size)", 10_485_760), ("1 gib - 1 GiB", 0),
    ])
    func aFormulaHasAValue(text: String, bytes: Int) throws {
        #expect(try LimitFormula.bytes(of: text, size: .mebibytes(10)) == ByteCount(bytes))
    }

    @Test(arguments: [
        ("", 1, "found the end"), ("12", 1, "pure number"), ("size +", 7, "found the end"),
        ("1 MB", 3, "unknown unit 'MB'"),
        ("sise", 1, "expected a number"), ("size * size", 6, "no meaning"), ("size + 4", 6, "unit missing"),
        ("2 / size", 3, "no meaning"), ("size / 0", 6, "division by zero"), ("(size", 6, "')'"),
        ("size size", 6, "operator"),
        ("0 B - size", 1, "not a valid limit"), ("1e300 * 1e300 * size", 1, "not a valid limit"),
        ("4 MiB <= size", 7, "operator"),
    ])
    func aMistakeHasAPlace(text: String, column: Int, words: String) {
        let fault = #expect(throws: LimitFormula.Fault.self) {
            _ = try LimitFormula.bytes(of: text, size: .mebibytes(10))
        }
        #expect(fault?.column == column)
        #expect(fault?.reason.contains(words) == true, "\(fault?.description ?? "")")
    }

    @Test func aSizeThatWasNotGivenIsMissed() {
        let fault = #expect(throws: LimitFormula.Fault.self) { _ = try LimitFormula.bytes(of: "2 * size", size: nil) }
        #expect(fault?.reason.contains("no size was given") == true)
    }

    @Test func nestingHasAnEnd() {
        let deep = String(repeating: "(", count: 100_000)
        #expect(throws: LimitFormula.Fault.self) { _ = try LimitFormula.bytes(of: deep, size: nil) }
    }
}
