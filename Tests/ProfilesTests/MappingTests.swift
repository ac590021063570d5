// SPDX-License-Identifier: Apache-2.0

import Profiles
import Testing

/// The lines of `smaps`, of which some have names that a program gave its memory.
struct MappingTests {
    /// Not every kernel knows such names: these lines are those of one that does.
    @Test(arguments: [
        ("", true), ("[anon:mimalloc]", true), ("[anon: glibc: malloc arena]", true), ("[heap]", false),
        ("[stack]", false),
        ("/usr/lib/libc.so.6", false),
    ])
    func memoryWithANameIsTheProcesssOwn(path: String, isAnonymous: Bool) throws {
        let text = "7f0000000000-7f0000400000 rw-p 00000000 00:00 0    \(path)\nRss:  4096 kB\nAnonymous:  4096 kB\n"
        let mapping = try #require(try Mapping.parse(text[...].utf8).first)
        #expect(mapping.path == path && mapping.isAnonymous == isAnonymous)
        #expect(mapping.resident == 4 << 20 && mapping.anonymous == 4 << 20)
    }
}
