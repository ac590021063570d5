// SPDX-License-Identifier: Apache-2.0

/// Text that some format would take for its own: whoever names an asset or answers a request can write it.
package enum HostileText {
    package static let all = [
        // Consoles of jobs.
        "\n::error::forged\r\n::warning::forged too\n", "::error::forged ", "  ::add-mask::forged ", "::::///",
        "line\nbreak\r\n::error title=a::b", "100%0A::error::x%25,%3A", "##[error]forged", "##[\u{301}",
        // Terminals.
        "\u{1B}[31mred\u{9B}1m\u{7}", "bell\u{7}tab\tform\u{C}", "\u{202E}evil\u{2066}", "\u{85}next\u{2028}line",
        "nul\u{0}byte", "x '\u{1B}[2J|`<b>,\"\u{7}\n\u{202E}'",
        // Spreadsheets.
        "=HYPERLINK(\"http://h/\")", "+1+cmd|'/C calc'!A0", "-2+3", "@SUM(A1)", "\t=1+1", "\r=1+1", "\"',;&amp;\\",
        // Markdown.
        "|", "a|b||c", "a|b`c``d", "`d``e```", "|\u{301}[\u{301}", "[l](javascript:x)![i](x)", "*/_~#>+-",
        // HTML and XML.
        "<script>window.owned = 1</script>", "</title><img src=x onerror=y>", "<b onload='x'>&amp;\"</b>", "<!--",
        "]]>", "]]><!--", "\u{FFFD}\u{FFFE}", "\u{FFFE}\u{FFFF}", "\u{1FFFE}\u{10FFFF}",
        // Labels, strings and names.
        "\n\n# EOF\n", "back\\slash\\n\\\"quote\"", "\u{FEFF}日本語\u{1F4A3}", "", " ", "a/b/c/d",
        String(decoding: [0x66, 0xC0, 0xFF, 0x80], as: UTF8.self),
    ]
}
