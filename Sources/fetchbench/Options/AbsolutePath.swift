// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Paths that mean the same in every working directory.
enum AbsolutePath {
    /// The path from the root; trials work in a folder of their own.
    static func of(_ path: String) -> String {
        path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
    }
}
