// SPDX-License-Identifier: Apache-2.0

import FetchBenchKit
import MemProbe
import Testing

struct RedactedURLTests {
    @Test(arguments: [
        ("https://user:password@example.org/a.jpg", "https://REDACTED@example.org/a.jpg"),
        ("https://user@example.org/a.jpg", "https://REDACTED@example.org/a.jpg"),
        ("https://:password@example.org/", "https://REDACTED@example.org/"),
        ("https://example.org/a?token=s3cret", "https://example.org/a?token=REDACTED"),
        ("https://example.org/a?w=1&X-Amz-Signature=abc&h=2", "https://example.org/a?w=1&X-Amz-Signature=REDACTED&h=2"),
        ("https://example.org/a?X-Amz-Credential=AKIA%2Fx", "https://example.org/a?X-Amz-Credential=REDACTED"),
        ("https://example.org/a?apiKey=k", "https://example.org/a?apiKey=REDACTED"),
        ("https://example.org/a?api_key=k&APIKEY=k", "https://example.org/a?api_key=REDACTED&APIKEY=REDACTED"),
        (
            "https://example.org/a?TOKEN=k&X-AMZ-SIGNATURE=k",
            "https://example.org/a?TOKEN=REDACTED&X-AMZ-SIGNATURE=REDACTED"
        ),
        ("https://example.org/a?AWSAccessKeyId=k", "https://example.org/a?AWSAccessKeyId=REDACTED"),
        ("https://example.org/a?accesstoken=k", "https://example.org/a?accesstoken=REDACTED"),
        ("https://example.org/a?to%6Ben=k", "https://example.org/a?to%6Ben=REDACTED"),
        ("https://example.org/a?sig=k&key=v", "https://example.org/a?sig=REDACTED&key=REDACTED"),
        ("https://example.org/a#access_token=abc", "https://example.org/a"),
    ])
    func whatSpeaksOfCredentialsIsTakenOut(url: String, redacted: String) {
        #expect(RedactedURL.text(of: url) == redacted)
    }

    @Test(arguments: [
        "http://127.0.0.1:8080/bytes/64MiB?seed=7&rate=60MiB", "https://example.org/a%20b.jpg?width=100&q=80",
        "http://[::1]:80/hero.jpg", "https://example.org/?monkey=1&keyboard=us&design=2&signal=3",
        "https://example.org",
        "https://example.org/a?token",
    ])
    func harmlessURLsStayAsTheyAre(url: String) {
        #expect(RedactedURL.text(of: url) == url)
    }

    @Test func whatCannotBeParsedIsNotRepeated() {
        #expect(RedactedURL.text(of: "http://user:secret@[bad") == "unparsable URL")
    }

    @Test func redactingTwiceChangesNothing() {
        let once = RedactedURL.text(of: "https://user:pw@example.org/a?token=b")
        #expect(RedactedURL.text(of: once) == once)
    }

    @Test(arguments: [
        "https://me:hunter2@example.org/a?token=s3cret&seed=7", "https://me:hunter2@example.org/?apiKey=s3cret#f",
    ])
    func aTextThatQuotesTheURLLosesItsSecrets(url: String) {
        let text = RedactedURL.text("cannot fetch \(url): hunter2 was refused, s3cret too (7 tries)", without: url)
        #expect(!text.contains("hunter2"))
        #expect(!text.contains("s3cret"))
        #expect(text.hasSuffix("(7 tries)"))
    }

    @Test func secretsAreFoundEncodedAndDecoded() {
        let url = "https://a%40b.org:p%2Fw%2Fd@example.org/?token=x%2By%2Bz#access_token=frag"
        let text = RedactedURL.text("\(url) a@b.org p/w/d x+y+z frag", without: url)
        #expect(
            text == "https://REDACTED:REDACTED@example.org/?token=REDACTED#REDACTED REDACTED REDACTED REDACTED frag")
    }
}

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

struct FileSystemTests {
    private static let mounts = """
        22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
        23 22 0:21 / /proc rw - proc proc rw
        30 22 0:26 / /run rw shared:5 master:2 - tmpfs tmpfs rw,size=1G
        31 30 0:27 / /run/disk rw - xfs /dev/sdb1 rw
        32 22 0:28 / /over rw - btrfs /dev/sdc rw
        33 32 0:29 / /over rw - tmpfs tmpfs rw
        a line that is none

        """

    @Test(arguments: [
        ("/", "ext4"), ("/home/somebody", "ext4"), ("/run", "tmpfs"), ("/run/a/b", "tmpfs"), ("/run/disk/a", "xfs"),
        ("/run/disky", "tmpfs"), ("/runfile", "ext4"), ("/proc/self", "proc"), ("/over/x", "tmpfs"),
    ])
    func theLongestMountPointAboveAPathDecides(path: String, type: String) {
        #expect(FileSystem.type(of: path, inMountInfo: Self.mounts) == type)
    }

    @Test func withoutALineThereIsNoType() {
        #expect(FileSystem.type(of: "/run", inMountInfo: "") == nil)
        #expect(FileSystem.type(of: "/run", inMountInfo: "23 22 0:21 / /proc rw - proc proc rw\n") == nil)
    }

    @Test func theKernelsOwnFoldersAreKnown() {
        #expect(FileSystem.type(of: "/proc") == "proc")
        #expect(FileSystem.type(of: "/does/not/exist") == "unknown")
    }

    @Test(arguments: [("tmpfs", true), ("ramfs", true), ("ext4", false), ("overlay", false)])
    func memoryIsTold(type: String, isMemory: Bool) {
        #expect(FileSystem.isMemory(type) == isMemory)
    }
}
