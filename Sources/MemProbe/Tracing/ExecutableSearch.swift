// SPDX-License-Identifier: Apache-2.0

#if canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Finds programs as a shell does: a program is a regular file that this user may execute.
package enum ExecutableSearch {
    /// The folders to search if the environment has no `PATH`.
    private static let standardFolders = "/usr/local/bin:/usr/bin:/bin"

    /// Returns the path of a program: the name itself if it contains a slash, else a match in the folders of `PATH`.
    ///
    /// An empty folder in `PATH` is the working directory.
    ///
    /// - Parameters:
    ///   - environment: that of the program, as `NAME=value`.
    ///   - directory: the program's working directory; by default that of this process.
    /// - Throws: ``MemProbeError/Code/notStarted`` with `ENOENT`, `EISDIR` (for paths only; a search skips folders) or
    ///   `EACCES`, as a shell would report.
    package static func path(
        of name: String, environment: [String], in directory: String? = nil
    ) throws(MemProbeError) -> String {
        guard !name.contains("/") else {
            if let obstacle = obstacle(at: absolute(name, in: directory)) { throw error(name, obstacle) }
            return name
        }
        guard !name.isEmpty else { throw error(name, ENOENT) }
        let folders = environment.first { $0.hasPrefix("PATH=") }.map { String($0.dropFirst(5)) } ?? standardFolders
        var complaint = ENOENT
        for folder in folders.split(separator: ":", omittingEmptySubsequences: false) {
            let path = folder.isEmpty ? "./\(name)" : "\(folder)/\(name)"
            guard let obstacle = obstacle(at: absolute(path, in: directory)) else { return path }
            if obstacle == EACCES { complaint = EACCES }
        }
        throw error(name, complaint)
    }

    /// Returns the reason why a file is not an executable program, or `nil` if it is one.
    private static func obstacle(at path: String) -> Int32? {
        var information = stat()
        guard SystemText.withCString(path, { stat($0, &information) }) == 0 else {
            return errno == ENOTDIR ? ENOENT : errno
        }
        switch information.st_mode & S_IFMT {
        case S_IFDIR: return EISDIR
        case S_IFREG: return SystemText.withCString(path) { access($0, X_OK) } == 0 ? nil : EACCES
        default: return EACCES
        }
    }

    private static func absolute(_ path: String, in directory: String?) -> String {
        guard let directory, !path.hasPrefix("/") else { return path }
        return "\(directory)/\(path)"
    }

    private static func error(_ name: String, _ number: Int32) -> MemProbeError {
        MemProbeError(.notStarted, source: name, errno: number)
    }
}
