// SPDX-License-Identifier: Apache-2.0

import Measuring
import Runs
import Testing

/// The one spelling of a URL in which every client gets it.
struct TargetURLTests {
    static let same = [
        "http://127.0.0.1:8080/a%2Fb", "http://host/%C3%BC", "http://host/%c3%bc", "https://host/a?b=c%20d&e=/?",
        "http://host/a;b=1,2/c(d)!$&'*+,;=:@", "http://host/%E2%82%AC%25", "http://[::1]:99/x", "http://u:p@host/x",
        "http://u%40x:p%3Aq@host/x", "http://host/a//b/", "http://host/~user/-._~", "http://host:1/",
        "http://host:65535/",
        "http://xn--bcher-kva.example/x", "http://host/?", "http://host/a?b?c",
    ]

    static let changed = [
        ("http://host", "http://host/"), ("http://host?x=1", "http://host/?x=1"), ("http://host#top", "http://host/"),
        ("HTTP://Host/Path", "http://host/Path"), ("http://host:80/x", "http://host/x"),
        ("https://host:443/x", "https://host/x"),
        ("https://host:80/x", "https://host:80/x"), ("http://host:/x", "http://host/x"),
        ("http://host:0080/x", "http://host/x"),
        ("http://host/\u{FC}%2Fx", "http://host/%C3%BC%2Fx"),
        ("http://host/\u{20AC}?q=\u{E9}", "http://host/%E2%82%AC?q=%C3%A9"),
        ("http://host/a b", "http://host/a%20b"), ("http://host/a?b c", "http://host/a?b%20c"),
        ("http://host/a[1]{x}|\"<>^`", "http://host/a%5B1%5D%7Bx%7D%7C%22%3C%3E%5E%60"),
        ("http://host/a/../b", "http://host/b"), ("http://host/a/./b", "http://host/a/b"),
        ("http://host/../../b", "http://host/b"),
        ("http://host/a/..", "http://host/"), ("http://host/a/.", "http://host/a/"),
        ("http://host/x#y?z", "http://host/x"),
        ("http://\u{FC}ser:p\u{E4}ss@host/", "http://%C3%BCser:p%C3%A4ss@host/"),
        ("http://b\u{FC}cher.example/x", "http://xn--bcher-kva.example/x"),
        ("http://[2001:DB8::1]/", "http://[2001:db8::1]/"), ("http://u@x:p@host/", "http://u%40x:p@host/"),
    ]

    static let refused = [
        ("htp://x", "htp"), ("ftp://host/x", "ftp"), ("/path", "scheme"), ("http:///path", "the host is missing"),
        ("http://host:99999/", "99999"),
        ("http://host:0/", "'0'"), ("http://host:-1/", "-1"), ("http://host:x/", "'x'"), ("http://host/100%", "%25"),
        ("http://host/%zz", "%25"), ("http://host/a\\b", "backslash"), ("http://host/a\nb", "control"),
        ("http://127.1/", "127.1"), ("http://0x7f.0.0.1/", "0x7f"), ("http://1.2.3.256/", "256"),
        ("http://[::1/", "[::1"),
        ("http://[fe80::1%25eth0]/", "fe80"), ("http://[::g]/", "[::g]"), ("http://ho st/", "ho st"),
        ("http://host/%2e%2e/x", "%2e%2e"),
        ("http://a%62c/", "a%62c"), ("http://::1/", "::1"),
    ]

    @Test(arguments: same) func aURLInItsSpellingStaysAsItIs(url: String) throws {
        #expect(try TargetURL.canonical(url) == url)
    }

    @Test(arguments: changed) func anotherSpellingIsMadeIt(text: String, url: String) throws {
        let canonical = try TargetURL.canonical(text)
        #expect(canonical == url)
        #expect(try TargetURL.canonical(canonical) == canonical)
    }

    @Test(arguments: refused) func whatClientsDisagreeOnIsRefusedByItsPart(text: String, part: String) {
        let mistake = #expect(throws: PlanMistake.self) { try TargetURL.canonical(text) }
        #expect(mistake?.description.contains(part) == true, "\(mistake?.description ?? "")")
    }

    @Test(arguments: ["http://user:hunter2@host:99999/", "http://user:hunter2@ho st/", "htp://user:hunter2@host/"])
    func noMessageHoldsACredential(text: String) {
        let mistake = #expect(throws: PlanMistake.self) { try TargetURL.canonical(text) }
        #expect(mistake?.description.contains("hunter2") == false)
    }

    @Test func addressesOfIPv6AreTold() {
        #expect(TargetURL.isIPv6("http://[::1]/") && TargetURL.isIPv6("https://u:p@[::1]:8/"))
        #expect(!TargetURL.isIPv6("http://host/[") && !TargetURL.isIPv6("http://host/@["))
    }
}
