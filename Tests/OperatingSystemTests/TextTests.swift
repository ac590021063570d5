// SPDX-License-Identifier: Apache-2.0

import MemProbe
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
    func nothingThatATerminalActsOnGetsThrough(text: String, safe: String) {
        #expect(SafeText.forTerminal(text) == safe)
    }

    @Test(arguments: [
        ("a|b", "a\\|b"), ("[x](http://evil)", "\\[x\\](http://evil)"), ("<b>&amp;", "&lt;b&gt;&amp;amp;"),
        ("`code`", "\\`code\\`"), ("*a* _b_ ~c~", "\\*a\\* \\_b\\_ \\~c\\~"),
        ("issue #2 (see a.b)", "issue #2 (see a.b)"),
        ("back\\slash", "back\\\\slash"), ("x\n# y", "x\\\\u{a}# y"),
        ("plain words, 12.5 MiB", "plain words, 12.5 MiB"),
    ])
    func nothingStartsMarkup(text: String, safe: String) {
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
    func nothingClosesACodeSpan(text: String, span: String) {
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
