// SPDX-License-Identifier: Apache-2.0

import MemProbe
import OperatingSystem
import Testing
import Texts

struct SafeTextTests {
    @Test(arguments: [
        ("\u{1B}[31mred\u{1B}[0m", "\\u{1b}[31mred\\u{1b}[0m"), ("bell\u{7}", "bell\\u{7}"),
        ("two\r\nlines", "two\\u{d}\\u{a}lines"), ("tab\there", "tab\\u{9}here"), ("\u{9B}2J", "\\u{9b}2J"),
        ("\u{7F}", "\\u{7f}"), ("abc\u{202E}fed", "abc\\u{202e}fed"), ("\u{2066}x\u{2069}", "\\u{2066}x\\u{2069}"),
        ("\u{61C}", "\\u{61c}"), ("a\u{2028}b", "a\\u{2028}b"), ("zero\u{200B}width", "zero\\u{200b}width"),
        ("größer – 6000×4000 ✓", "größer – 6000×4000 ✓"),
    ])
    func noCharacterThatATerminalActsOnGetsThrough(text: String, safe: String) {
        #expect(SafeText.forTerminal(text) == safe)
    }

    @Test(arguments: [
        ("a|b", "a\\|b"), ("[x](http://evil)", "\\[x\\](http://evil)"), ("<b>&amp;", "&lt;b&gt;&amp;amp;"),
        ("`code`", "\\`code\\`"), ("*a* _b_ ~c~", "\\*a\\* \\_b\\_ \\~c\\~"),
        ("issue #2 (see a.b)", "issue #2 (see a.b)"),
        ("back\\slash", "back\\\\slash"), ("x\n# y", "x\\\\u{a}# y"),
        ("plain words, 12.5 MiB", "plain words, 12.5 MiB"),
    ])
    func noCharacterStartsMarkup(text: String, safe: String) {
        #expect(SafeText.forMarkdown(text) == safe)
    }

    /// A mark that combines with the character before it makes one character of the two, and Markdown still reads both.
    @Test(arguments: ["|", "<", "`", "[", "*"])
    func aCombiningMarkHidesNoMarkup(markup: String) {
        let safe = SafeText.forMarkdown(markup + "\u{301}")
        #expect(safe.unicodeScalars.first != markup.unicodeScalars.first)
        #expect(safe.unicodeScalars.last == "\u{301}")
    }

    @Test(arguments: [
        ("hero/data", "`hero/data`"), ("a`b", "``a`b``"), ("`", "`` ` ``"), ("a``b`c", "```a``b`c```"),
        ("x|y", "`x¦y`"), ("|\u{301}", "`¦\u{301}`"), ("line\nbreak", "`line\\u{a}break`"),
        ("`\u{301}", "`` `\u{301} ``"),
    ])
    func noCharacterClosesACodeSpan(text: String, span: String) {
        #expect(Array(SafeText.asCode(text).utf8) == Array(span.utf8))
    }
}

struct ByteTextTests {
    @Test(arguments: [
        (0, "0.0 MiB"), (13_099_008, "12.5 MiB"), (96_000_000, "91.6 MiB"), (-1_048_576, "-1.0 MiB"),
        (-10, "0.0 MiB"), (1 << 40, "1048576.0 MiB"),
    ])
    func sizesAreInMebibytes(bytes: Int, text: String) {
        #expect(ByteText.mebibytes(ByteCount(bytes)) == text)
        #expect(ByteText.mebibytes(Double(bytes)) == text)
    }

    @Test(arguments: [(0.125, 2, "0.12"), (-0.004, 2, "0.00"), (-0.006, 2, "-0.01"), (2.5, 0, "2"), (1e-9, 3, "0.000")])
    func aRoundedZeroHasNoSign(value: Double, places: Int, text: String) {
        #expect(ByteText.fixed(value, places: places) == text)
    }
}

struct DurationTextTests {
    @Test(arguments: [
        ("0", 0), ("0ms", 0), ("1ns", 1), ("200us", 200_000), ("1ms", 1_000_000), ("1500us", 1_500_000),
        ("2s", 2_000_000_000),
    ])
    func aDurationIsAWholeNumberWithItsUnit(text: String, nanoseconds: Int) {
        #expect(DurationText.nanoseconds(parsing: text) == nanoseconds)
    }

    @Test(arguments: [
        "", "5", "us", "1.5ms", "-1us", "1 us", "1US", "1m", "9999999999999999999ns", "99999999999s", "+1us",
    ])
    func invalidDurationsAreRefused(text: String) {
        #expect(DurationText.nanoseconds(parsing: text) == nil)
    }

    @Test(arguments: [0, 1, 999, 1000, 200_000, 1_000_000, 1_500_000, 3_000_000_000])
    func aDurationComesBackFromItsText(nanoseconds: Int) {
        #expect(DurationText.nanoseconds(parsing: DurationText.text(ofNanoseconds: nanoseconds)) == nanoseconds)
    }
}

struct CSVTests {
    @Test(arguments: [
        "plain", "", "a,b", "\"quoted\"", "\"", "two\nlines", "carriage\rreturn", "crlf\r\nline", ",\"\n\r", "größer",
        "\"\u{301}", ",\u{301}", " spaces ", "a=b",
    ])
    func writtenPropertiesAreReadBack(field: String) {
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
