// SPDX-License-Identifier: Apache-2.0

import OperatingSystem
import TestSupport
import Testing
import Texts

struct CSVTests {
    @Test(arguments: [
        "plain", "", "a,b", "\"quoted\"", "\"", "two\nlines", "carriage\rreturn", "crlf\r\nline", ",\"\n\r", "größer",
        "\"\u{301}", ",\u{301}", " spaces ", "a=b",
    ])
    func whatIsWrittenIsReadBack(field: String) {
        let line = CSV.line(["first", field, "last"])
        #expect(
            MiniCSV.rows(of: line).map { $0.map { Array($0.utf8) } } == [
                ["first", SafeText.forTerminal(field), "last"].map { Array($0.utf8) }
            ])
    }

    @Test(arguments: [
        ("=HYPERLINK(1)", "'=HYPERLINK(1)"), ("+1+2", "'+1+2"), ("-2+3", "'-2+3"), ("@SUM(A1)", "'@SUM(A1)"),
        ("\t=1", "\\u{9}=1"), ("\r=1", "\\u{d}=1"), ("=", "'="), ("=\u{301}1", "'=\u{301}1"),
        ("-1", "-1"), ("+0.5", "+0.5"), ("-1e-9", "-1e-9"), ("a=b", "a=b"), ("'=1", "'=1"),
    ])
    func aFieldIsNoFormulaAndANumberStaysOne(field: String, shown: String) {
        #expect(MiniCSV.rows(of: CSV.line([field])) == [[shown]])
    }

    @Test func aLineIsNoCommandOfAGitHubJob() {
        #expect(CSV.line(["::error::x", "y"]) == "\"::error::x\",y\n")
        #expect(CSV.line(["  ::error::x"]) == "\"  ::error::x\"\n")
        #expect(CSV.line(["x\n::error::y"]) == "x\\u{a}::error::y\n")
    }

    @Test func onlyFieldsThatNeedItAreQuoted() {
        #expect(CSV.line(["a b", "1,5", "say \"no\"", ""]) == "a b,\"1,5\",\"say \"\"no\"\"\",\n")
    }

    @Test func numbersAreWholeWhereTheyAreWholeAndEmptyWhereTheyAreAbsent() {
        #expect(CSV.text(nil).isEmpty)
        #expect(CSV.text(0) == "0")
        #expect(CSV.text(-4096) == "-4096")
        #expect(CSV.text(1e15) == "1000000000000000")
        #expect(CSV.text(0.1) == "0.1")
        #expect(CSV.text(2.0 / 3) == "0.6666666666666666")
    }
}

struct TextTableTests {
    private var table: TextTable {
        var table = TextTable(["mode", "peak"], words: 1)
        table.rows = [["data", "+25.00"], ["download", "+3"], ["größe", ""]]
        return table
    }

    @Test func wordsAreFlushLeftAndFiguresFlushRight() {
        #expect(table.plain == "mode        peak\ndata      +25.00\ndownload      +3\ngröße\n")
    }

    @Test func markdownSaysTheSameAlignment() {
        #expect(
            table.markdown == """
                | mode | peak |
                | :-- | --: |
                | data | +25.00 |
                | download | +3 |
                | größe |  |

                """)
    }
}
