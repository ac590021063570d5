// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing
import Texts

struct PathTextTests {
    static let paths = [
        "/usr/bin/fetchbench", "fetchbench", "./fetchbench", "results/run", "results/run/", "results//run//", "/run",
        "/", "a/b/c.d", "..", ".", "ä/ö",
    ]

    @Test(arguments: paths)
    func folderIsThatOfTheCLibrary(path: String) {
        var bytes = Array(path.utf8CString)
        #expect(String(cString: dirname(&bytes)) == PathText.folder(of: path))
    }

    @Test(arguments: paths)
    func nameIsThatOfTheCLibrary(path: String) {
        var bytes = Array(path.utf8CString)
        #expect(String(cString: __xpg_basename(&bytes)) == PathText.name(of: path))
    }
}
