// SPDX-License-Identifier: Apache-2.0

import CTestSupport
import Foundation
import Glibc
import Synchronization

package struct EndedProcess: Sendable {
    /// Its exit status, or minus the number of the signal that ended it.
    package var status: Int32
    package var output: [UInt8]
    package var complaint: String

    package var text: String { String(decoding: output, as: UTF8.self) }
}

/// A process that a test started, in a group of its own: killed where nobody waits for its end.
///
/// Foundation's `Process` is not used: its `run()` (6.3.1) copies 256 bytes of every entry of `/proc/self/fd`, which are
/// shorter, so that the test process dies once it has some 1,365 descriptors; and it keeps those of each child.
/// Output goes to files without a name, so that a child never waits for a reader, and no other child holds an end open.
package final class TestProcess: Sendable {
    package let identifier: Int32
    private let outputFile: NamelessFile
    private let complaintFile: NamelessFile
    private let ended = Mutex<Int32?>(nil)

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - path: where it is.
    ///   - arguments: its arguments, without its name.
    ///   - environment: its whole environment; that of this process where nothing is said.
    ///   - directory: where it works; where this process does, where nothing is said.
    ///   - input: what it reads from standard input; `/dev/null` where nothing is said.
    package init(
        _ path: String, _ arguments: [String] = [], environment: [String: String]? = nil, in directory: String? = nil,
        input: [UInt8]? = nil
    ) throws {
        guard Self.isProgram(path) else {
            throw ProcessFailure("\(path) cannot be started: \(String(cString: strerror(errno)))")
        }
        let inputFile = try NamelessFile(holding: input ?? [])
        outputFile = try NamelessFile()
        complaintFile = try NamelessFile()
        identifier = try Self.spawned(
            [path] + arguments, environment: environment ?? ProcessInfo.processInfo.environment, in: directory,
            input: input == nil ? -1 : inputFile.number, output: outputFile.number, complaint: complaintFile.number)
    }

    deinit {
        send(SIGKILL)
        _ = status(options: 0)
    }

    package static func run(
        _ path: String, _ arguments: [String] = [], environment: [String: String]? = nil, in directory: String? = nil,
        input: [UInt8]? = nil, within seconds: Double = 300
    ) throws -> EndedProcess {
        try TestProcess(path, arguments, environment: environment, in: directory, input: input).end(within: seconds)
    }

    package static func isProgram(_ path: String) -> Bool { access(path, X_OK) == 0 }

    package var output: [UInt8] { outputFile.bytes }
    package var complaint: String { String(decoding: complaintFile.bytes, as: UTF8.self) }
    package var isRunning: Bool { status(options: WNOHANG) == nil }

    package func send(_ signal: Int32) {
        ended.withLock { if $0 == nil { kill(identifier, signal) } }
    }

    /// How it ended and what it said; `nil` while it runs.
    package func end() -> EndedProcess? {
        status(options: WNOHANG).map { EndedProcess(status: $0, output: output, complaint: complaint) }
    }

    /// Waits for its end on this thread; what takes longer is killed, and an error.
    package func end(within seconds: Double) throws -> EndedProcess {
        let last = ContinuousClock.now + .seconds(seconds)
        while ContinuousClock.now < last {
            if let end = end() { return end }
            usleep(1000)
        }
        send(SIGKILL)
        let said = String(decoding: output.suffix(400), as: UTF8.self) + complaint.suffix(400)
        throw ProcessFailure("still running after \(seconds) s; it said: \(said)")
    }

    /// How it ended, or `nil` where it has not, which without `WNOHANG` is waited for.
    private func status(options: CInt) -> Int32? {
        ended.withLock { ended in
            if ended != nil { return ended }
            var status: CInt = 0
            guard waitpid(identifier, &status, options) == identifier else { return nil }
            ended = status & 0x7f == 0 ? (status >> 8) & 0xff : -(status & 0x7f)
            return ended
        }
    }

    /// Writes a script that can be started.
    ///
    /// A child does it: a file that this process had open for writing would be open in whatever another test starts at
    /// that moment, and nobody may start such a file (`ETXTBSY`).
    package static func write(program text: String, to path: String, mode: UInt32 = 0o755) throws {
        let words = ["-c", #"cat > "$1" && chmod "$2" "$1""#, "sh", path, String(mode, radix: 8)]
        let ended = try run("/bin/sh", words, input: Array(text.utf8))
        guard ended.status == 0 else { throw ProcessFailure("\(path): \(ended.complaint)") }
    }

    package static func copy(program path: String, to target: String) throws {
        let ended = try run("/bin/cp", [path, target])
        guard ended.status == 0 else { throw ProcessFailure("\(path): \(ended.complaint)") }
    }

    private static func spawned(
        _ words: [String], environment: [String: String], in directory: String?, input: CInt, output: CInt,
        complaint: CInt
    ) throws -> Int32 {
        var arguments = words.map { strdup($0) } + [nil]
        var variables = environment.map { strdup("\($0)=\($1)") } + [nil]
        defer { (arguments + variables).forEach { free($0) } }
        var identifier: Int32 = 0
        let error = ctestsupport_spawn(
            words[0], &arguments, &variables, directory, input, output, complaint, &identifier)
        guard error == 0 else { throw ProcessFailure("\(words[0]): \(String(cString: strerror(error)))") }
        return identifier
    }
}

/// Why a process could not be started, or did not end.
package struct ProcessFailure: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}

/// A file that is open and has no name any more, so that nothing of it stays behind.
struct NamelessFile: ~Copyable {
    /// Its descriptor, which no child of another test inherits.
    let number: CInt

    /// Makes one in the folder for temporary files, to be read from its first byte.
    init(holding bytes: [UInt8] = []) throws {
        let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        let name = "\(folder)/nameless-\(UInt64.random(in: 0 ... .max))"
        number = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard number >= 0 else { throw ProcessFailure("\(name): \(String(cString: strerror(errno)))") }
        unlink(name)
        guard pwrite(number, bytes, bytes.count, 0) == bytes.count else {
            throw ProcessFailure("\(name): \(bytes.count) bytes could not be written")
        }
    }

    deinit { close(number) }

    /// Its current contents.
    var bytes: [UInt8] {
        var status = stat()
        guard fstat(number, &status) == 0, status.st_size > 0 else { return [] }
        return [UInt8](unsafeUninitializedCapacity: Int(status.st_size)) { buffer, count in
            count = max(0, pread(number, buffer.baseAddress, buffer.count, 0))
        }
    }
}

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
