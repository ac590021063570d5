// SPDX-License-Identifier: Apache-2.0

import CMemProbe

/// Transparent huge pages: with them on, a touched byte can cost 2 MiB.
public enum TransparentHugePages {
    /// Turns them off for this process and for the children it begins, which keep the setting.
    ///
    /// Pages that are huge already stay so.
    ///
    /// The corresponding call is `prctl(PR_SET_THP_DISABLE)`.
    ///
    /// - Returns: false where the kernel was built without them or refuses.
    public static func disableForThisProcess() -> Bool {
        cmemprobe_disable_thp() == 0
    }

    /// The machine's mode, `always`, `madvise` or `never`; `nil` where the kernel was built without them.
    ///
    /// The corresponding file is `/sys/kernel/mm/transparent_hugepage/enabled`.
    public static var mode: String? {
        guard let text = try? SmallFile.text(at: "/sys/kernel/mm/transparent_hugepage/enabled") else { return nil }
        return selectedWord(of: text)
    }

    /// The word in brackets of `always [madvise] never`.
    package static func selectedWord(of text: String) -> String? {
        guard let open = text.firstIndex(of: "["), let close = text[open...].firstIndex(of: "]") else { return nil }
        let word = text[text.index(after: open)..<close]
        return word.isEmpty ? nil : String(word)
    }
}
