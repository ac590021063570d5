// SPDX-License-Identifier: Apache-2.0

import CMemProbe

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
        guard let text = try? SmallFile.text(at: "/sys/kernel/mm/transparent_hugepage/enabled") else { return nil }
        return selectedWord(of: text)
    }

    /// Returns the word in brackets of `always [madvise] never`.
    package static func selectedWord(of text: String) -> String? {
        guard let open = text.firstIndex(of: "["), let close = text[open...].firstIndex(of: "]") else { return nil }
        let word = text[text.index(after: open)..<close]
        return word.isEmpty ? nil : String(word)
    }
}
