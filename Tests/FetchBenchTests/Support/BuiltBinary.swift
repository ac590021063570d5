// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import TestSupport

/// The program under test: the one that was built beside these tests, or the one that `FETCHBENCH_BINARY` names.
enum BuiltBinary {
    /// The path of `fetchbench`.
    static let path: String = {
        let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        let sibling = own.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" } + "/fetchbench"
        if access(sibling, X_OK) == 0 { return sibling }
        return ProcessInfo.processInfo.environment["FETCHBENCH_BINARY"] ?? sibling
    }()

    /// A program that was built beside `fetchbench`, by its name.
    static func neighbour(_ name: String) -> String {
        URL(fileURLWithPath: path).deletingLastPathComponent().path + "/" + name
    }

    /// Copies `fetchbench` and its trial programs into a folder that is not there yet, and gives the copy's path.
    static func copied(to folder: String) throws -> String {
        let manager = FileManager.default
        try manager.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let own = URL(fileURLWithPath: path).deletingLastPathComponent().path
        let programs = try manager.contentsOfDirectory(atPath: own).filter { name in
            name.hasPrefix("trial-") && !name.contains(".")
        }
        for name in ["fetchbench"] + programs {
            try TestProcess.copyItem(at: "\(own)/\(name)", to: "\(folder)/\(name)")
        }
        return folder + "/fetchbench"
    }

    /// The folder of the package, where its scripts are.
    static let package = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().path

    /// The system's Python, which has the modules that the system packages.
    static func systemPython() throws -> String {
        let system = "/usr/bin/python3"
        return try FileManager.default.isExecutableFile(atPath: system) ? system : tool("python3")
    }

    /// A program of the system, by its name.
    static func tool(_ name: String) throws -> String {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
        let paths: [String] = (folders + ["/usr/sbin", "/usr/bin", "/sbin", "/bin"]).map { "\($0)/\(name)" }
        let found = paths.first { access($0, X_OK) == 0 }
        guard let found else { throw Obstacle("\(name) is not installed; scripts/install-dependencies installs it") }
        return found
    }
}

/// Why a test could not do what it set out to do.
struct Obstacle: Error, CustomStringConvertible {
    var description: String

    init(_ description: String) {
        self.description = description
    }
}
