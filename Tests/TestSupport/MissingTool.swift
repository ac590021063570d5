// SPDX-License-Identifier: Apache-2.0

/// Why a test could not ask another program; a test that meets it fails.
package struct MissingTool: Error, CustomStringConvertible {
    let program: String
    let debianPackage: String

    /// Names what is not there, and the Debian package that has it.
    package init(_ program: String, in debianPackage: String) {
        self.program = program
        self.debianPackage = debianPackage
    }

    package var description: String {
        "\(program) is missing: install the Debian package \(debianPackage) (scripts/install-dependencies --test)"
    }
}

extension TestProcess {
    /// Runs a program of a Debian package to its end, on this thread.
    package static func tool(
        _ path: String, of debianPackage: String, _ arguments: [String], input: [UInt8]? = nil
    ) throws -> EndedProcess {
        guard isProgram(path) else { throw MissingTool(path, in: debianPackage) }
        return try run(path, arguments, input: input)
    }
}
