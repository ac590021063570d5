// SPDX-License-Identifier: Apache-2.0

import CMemProbe
import Libc

package struct KernelVersion: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The first kernel that counts a process's pages per CPU instead of per thread.
    package static let countsByCPU = KernelVersion(6, 2)
    /// The first kernel that distinguishes the zero page, from which untouched memory is read, from memory.
    package static let tellsZeroPages = KernelVersion(6, 7)

    private let major: Int
    private let minor: Int

    package init(_ major: Int, _ minor: Int) { (self.major, self.minor) = (major, minor) }

    /// Parses a release such as `5.15.0-91-generic`; `nil` if it does not begin with two numbers.
    package init?(release: String) {
        let parts = release.split(separator: ".", maxSplits: 2)
        guard parts.count >= 2, let major = Int(parts[0]),
            let minor = Int(parts[1].prefix { $0.isASCII && $0.isNumber })
        else { return nil }
        self.init(major, minor)
    }

    package static let current: KernelVersion? = {
        var name = utsname()
        guard uname(&name) == 0 else { return nil }
        let release = withUnsafeBytes(of: name.release) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        return KernelVersion(release: release)
    }()

    package var description: String { "\(major).\(minor)" }

    package static func < (first: KernelVersion, second: KernelVersion) -> Bool {
        (first.major, first.minor) < (second.major, second.minor)
    }
}

/// Transparent huge pages, with which a single touched byte can cost 2 MiB.
public enum TransparentHugePages {
    /// Disables them for this process and its future children by `prctl(PR_SET_THP_DISABLE)`.
    ///
    /// Pages that are huge already stay so.
    ///
    /// - Returns: false if the kernel was built without them or refuses.
    public static func disableForThisProcess() -> Bool { cmemprobe_disable_thp() == 0 }

    /// The machine's mode, `always`, `madvise` or `never`; `nil` if the kernel was built without them.
    ///
    /// It is read from `/sys/kernel/mm/transparent_hugepage/enabled`.
    public static var mode: String? {
        guard let text = try? Descriptor.text(ofFileAt: "/sys/kernel/mm/transparent_hugepage/enabled") else {
            return nil
        }
        return selectedWord(of: text)
    }

    /// Returns the word in brackets of `always [madvise] never`.
    package static func selectedWord(of text: String) -> String? {
        guard let open = text.firstIndex(of: "["), let close = text[open...].firstIndex(of: "]") else { return nil }
        let word = text[text.index(after: open)..<close]
        return word.isEmpty ? nil : String(word)
    }
}
