// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Hashing
import OperatingSystem
import TrialKit

/// The answers of trial programs about themselves, for as long as their files stay the same.
///
/// An answer is a file named after the program's path and the identity of its file. It only saves time: a cache that
/// cannot be read, written or trusted is as good as an empty one, and what is in it is checked like any answer.
package struct DescriptionCache: Sendable {
    /// The answers after which all are discarded: programs that are gone would stay for ever.
    private static let most = 100

    private let folder: String
    /// The user whose files are trusted: another one could pretend that a program has other modes.
    private let user: UInt32

    package init(in cache: String, of user: UInt32) {
        folder = cache + "/programs"
        self.user = user
    }

    func description(of path: String, _ file: FileIdentity?) -> ProgramDescription? {
        guard let name = name(of: path, file) else { return nil }
        var information = stat()
        guard lstat(folder + "/" + name, &information) == 0, information.st_mode & S_IFMT == S_IFREG,
            information.st_uid == user, information.st_mode & 0o022 == 0,
            let data = try? WholeFile.data(at: folder + "/" + name, name: name)
        else { return nil }
        return try? ProgramDescription(checking: Array(data))
    }

    func keep(_ answer: [UInt8], of path: String, _ file: FileIdentity?) {
        guard let name = name(of: path, file) else { return }
        let manager = FileManager.default
        try? makeFolder(folder)
        let others = (try? manager.contentsOfDirectory(atPath: folder)) ?? []
        for other in others where other.hasPrefix(prefix(of: path)) || others.count > Self.most {
            unlink(folder + "/" + other)
        }
        try? WholeFile.write(answer, to: folder + "/" + name, name: name)
    }

    private func name(of path: String, _ file: FileIdentity?) -> String? {
        file.map { prefix(of: path) + $0.text + ".json" }
    }

    private func prefix(of path: String) -> String { SHA256.hexadecimal(of: Array(path.utf8)).prefix(16) + "-" }
}
