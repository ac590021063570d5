// SPDX-License-Identifier: Apache-2.0

/// The parts of a path, as `basename` and `dirname` print them, without access to the file system.
package enum PathText {
    /// Returns the last part of a path: `fetchbench` for `/usr/bin/fetchbench`.
    package static func name(of path: String) -> String {
        path.split(separator: "/").last.map(String.init) ?? path
    }

    /// Returns the folder of a path: `/usr/bin` for `/usr/bin/fetchbench`, `.` for `fetchbench`.
    package static func folder(of path: String) -> String {
        let whole = withoutTrailingSlashes(path)
        guard let slash = whole.lastIndex(of: "/") else { return "." }
        return withoutTrailingSlashes(whole[..<whole.index(after: slash)])
    }

    private static func withoutTrailingSlashes(_ path: some StringProtocol) -> String {
        let end = path.lastIndex { $0 != "/" }.map { path.index(after: $0) }
        return end.map { String(path[..<$0]) } ?? String(path.prefix(1))
    }
}
