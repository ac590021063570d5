// SPDX-License-Identifier: Apache-2.0

import Glibc
import Runs

/// The folder for reusable files: the user's own cache, or a private temporary one.
///
/// Users without a home (`nobody`, a container without `/etc/passwd`) have no cache of their own.
package struct AssetCache: Hashable, Sendable {
    /// The folder in which other programs keep their caches too; ours is a folder within it.
    package let base: String

    package let obstacle: String?

    package var path: String { base + "/fetchbench" }

    /// Finds or makes the folder.
    ///
    /// - Parameters:
    ///   - named: `XDG_CACHE_HOME`, used as it is.
    ///   - home: the user's home, used only if it exists.
    package init(
        named: String?, home: String?, temporaryDirectory: String, user: UInt32
    ) throws {
        if let named, !named.isEmpty {
            self.init(base: named, obstacle: nil)
            return
        }
        guard let reason = Self.obstacle(toHome: home) else {
            self.init(base: (home ?? "") + "/.cache", obstacle: nil)
            return
        }
        let path = "\(temporaryDirectory)/fetchbench-cache-\(user)"
        try Self.makePrivate(path, of: user)
        self.init(base: path, obstacle: reason)
    }

    private init(base: String, obstacle: String?) {
        (self.base, self.obstacle) = (base, obstacle)
    }

    /// Returns the reason that a home can hold no cache, or `nil`; makes the folders to find out.
    private static func obstacle(toHome home: String?) -> String? {
        guard let home, !home.isEmpty else { return "HOME is not set" }
        guard isFolder(home) else { return "HOME is not an existing folder: \(home)" }
        for path in [home + "/.cache", home + "/.cache/fetchbench"] {
            guard mkdir(path, 0o755) != 0, errno != EEXIST else { continue }
            return "cannot create a cache in HOME (\(String(cString: strerror(errno))))"
        }
        // A folder that exists may not be writable.
        guard access(home + "/.cache/fetchbench", W_OK | X_OK) == 0 else {
            return "the cache in HOME cannot be written (\(String(cString: strerror(errno))))"
        }
        return nil
    }

    private static func isFolder(_ path: String) -> Bool {
        var information = stat()
        return stat(path, &information) == 0 && information.st_mode & S_IFMT == S_IFDIR
    }

    /// Makes a private folder, or takes an existing one that is private.
    ///
    /// The name is predictable: another user may have made a link or a folder of that name first.
    private static func makePrivate(_ path: String, of user: UInt32) throws {
        if mkdir(path, 0o700) != 0, errno != EEXIST {
            throw refusal("cannot create the folder \(path) for assets: \(String(cString: strerror(errno)))")
        }
        var information = stat()
        guard lstat(path, &information) == 0 else {
            throw refusal("cannot read the folder \(path): \(String(cString: strerror(errno)))")
        }
        guard information.st_mode & S_IFMT == S_IFDIR, information.st_uid == user,
            information.st_mode & 0o077 == 0
        else {
            throw refusal(
                "\(path) is not a private folder of this user (mode 0700), so its content is not trusted; "
                    + "remove it, or set XDG_CACHE_HOME to another folder")
        }
    }

    private static func refusal(_ reason: String) -> FetchBenchError {
        FetchBenchError("an asset cannot be prepared: \(reason)", kind: .temporary)
    }
}
