// SPDX-License-Identifier: Apache-2.0

import Glibc
package import Runs

/// The folder that keeps what is costly to make: the user's own cache, or one among the temporary files.
///
/// A user without a home of its own – `nobody`, a container without `/etc/passwd` – has nowhere to keep a cache, and can
/// fetch all the same.
package struct CacheFolder: Hashable, Sendable {
    /// The folder in which other programs keep their caches, too; ours is one within it.
    package let base: String

    /// Why it is not where the user's caches are, or `nil` where it is.
    package let obstacle: String?

    /// The folder of the assets.
    package var path: String { base + "/fetchbench" }

    /// Finds the folder, and makes it.
    ///
    /// - Parameters:
    ///   - named: The folder of caches that the user names (`XDG_CACHE_HOME`); it is taken as it is.
    ///   - home: The user's home, in which a cache is made only where the home exists.
    ///   - temporaryDirectory: Where a private folder is made if the home is of no use.
    ///   - user: Whose the private folder has to be.
    /// - Throws: ``FetchBenchError/noCache(reason:)`` where the private folder is somebody else's or cannot be made.
    package init(
        named: String?, home: String?, temporaryDirectory: String, user: UInt32
    ) throws(FetchBenchError) {
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
        self.base = base
        self.obstacle = obstacle
    }

    /// Why nothing can be kept in a home, or `nil` where something can; the folders are made to find out.
    private static func obstacle(toHome home: String?) -> String? {
        guard let home, !home.isEmpty else { return "HOME is not set" }
        guard isFolder(home) else { return "HOME is no folder that exists" }
        for path in [home + "/.cache", home + "/.cache/fetchbench"] {
            guard mkdir(path, 0o755) != 0, errno != EEXIST else { continue }
            return "no cache can be made in HOME (\(String(cString: strerror(errno))))"
        }
        // A folder that is there may be one in which nothing may be made.
        guard access(home + "/.cache/fetchbench", W_OK | X_OK) == 0 else {
            return "the cache in HOME cannot be written (\(String(cString: strerror(errno))))"
        }
        return nil
    }

    private static func isFolder(_ path: String) -> Bool {
        var information = stat()
        return stat(path, &information) == 0 && information.st_mode & S_IFMT == S_IFDIR
    }

    /// Makes a folder that is this user's alone, or takes one that is.
    ///
    /// Everybody knows its name and may make something of that name first: a link, or a folder whose files are theirs.
    private static func makePrivate(_ path: String, of user: UInt32) throws(FetchBenchError) {
        if mkdir(path, 0o700) != 0, errno != EEXIST {
            throw .noCache(reason: "cannot make the folder \(path) for the assets: \(String(cString: strerror(errno)))")
        }
        var information = stat()
        guard lstat(path, &information) == 0 else {
            throw .noCache(reason: "cannot read the folder \(path): \(String(cString: strerror(errno)))")
        }
        guard information.st_mode & S_IFMT == S_IFDIR, information.st_uid == user,
            information.st_mode & 0o077 == 0
        else {
            throw .noCache(
                reason: "\(path) is not this user's private folder (mode 0700), so nothing in it is trusted; "
                    + "remove it, or name another folder in XDG_CACHE_HOME")
        }
    }
}
