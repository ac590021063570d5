// SPDX-License-Identifier: Apache-2.0

/// The parts of a path, as `basename` and `dirname` tell them; nothing is looked at.
package enum PathText {
    /// The last part of a path, without the folders before it: `fetchbench` of `/usr/bin/fetchbench`.
    package static func name(of path: String) -> String {
        path.split(separator: "/").last.map(String.init) ?? path
    }

    /// The folder of what a path names: `/usr/bin` of `/usr/bin/fetchbench`, `.` of `fetchbench`.
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
