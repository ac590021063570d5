// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import MemProbe
import Testing

struct ExecutableSearchTests {
    /// Folders with something of the name `tool` in each, and what it is.
    private final class Shelf {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("search-\(UUID().uuidString)").path

        init() throws {
            for name in ["folder/tool", "file", "program", "link", "dangling", "empty"] {
                try FileManager.default.createDirectory(atPath: "\(path)/\(name)", withIntermediateDirectories: true)
            }
            let manager = FileManager.default
            _ = manager.createFile(
                atPath: "\(path)/file/tool", contents: Data(), attributes: [.posixPermissions: 0o644])
            _ = manager.createFile(
                atPath: "\(path)/program/tool", contents: Data(), attributes: [.posixPermissions: 0o755])
            try manager.createSymbolicLink(atPath: "\(path)/link/tool", withDestinationPath: "../program/tool")
            try manager.createSymbolicLink(atPath: "\(path)/dangling/tool", withDestinationPath: "../nowhere")
        }

        deinit { try? FileManager.default.removeItem(atPath: path) }

        func find(_ name: String, in folders: [String], from directory: String = "/") -> Result<String, MemProbeError> {
            let list = folders.map { $0.isEmpty || $0.hasPrefix(".") ? $0 : "\(path)/\($0)" }.joined(separator: ":")
            do throws(MemProbeError) {
                return .success(
                    try ExecutableSearch.path(of: name, environment: ["A=b", "PATH=\(list)"], in: directory))
            } catch {
                return .failure(error)
            }
        }

        func error(_ name: String, in folders: [String]) -> Int32? {
            guard case .failure(let error) = find(name, in: folders) else { return nil }
            return error.errno
        }
    }

    @Test(arguments: ["folder", "file", "dangling", "empty", "nowhere", "program/tool"])
    func filesThatAreNotProgramsAreSkipped(first: String) throws {
        let shelf = try Shelf()
        #expect(try shelf.find("tool", in: [first, "program"]).get() == "\(shelf.path)/program/tool")
    }

    @Test(arguments: [
        (["folder"], ENOENT), (["empty", "dangling"], ENOENT), (["file"], EACCES),
        (["file", "folder", "empty"], EACCES),
        ([], ENOENT),
    ])
    func theComplaintIsThatOfAShell(folders: [String], expected: Int32) throws {
        #expect(try Shelf().error("tool", in: folders) == expected)
    }

    @Test func aPathIsTakenAsItIs() throws {
        let shelf = try Shelf()
        #expect(try shelf.find("\(shelf.path)/link/tool", in: []).get() == "\(shelf.path)/link/tool")
        #expect(shelf.error("\(shelf.path)/folder/tool", in: ["program"]) == EISDIR)
        #expect(shelf.error("\(shelf.path)/file/tool", in: ["program"]) == EACCES)
        #expect(shelf.error("\(shelf.path)/nowhere", in: ["program"]) == ENOENT)
        #expect(shelf.error("", in: ["program"]) == ENOENT)
    }

    @Test(arguments: ["", "."])
    func anEmptyFolderIsTheOneItWorksIn(folder: String) throws {
        let shelf = try Shelf()
        #expect(try shelf.find("tool", in: [folder], from: shelf.path + "/program").get() == "./tool")
        #expect(try shelf.find("program/tool", in: [], from: shelf.path).get() == "program/tool")
        #expect(throws: MemProbeError.self) { try shelf.find("tool", in: [folder], from: shelf.path).get() }
    }

    @Test func withoutAPathTheSystemsFoldersAreSearched() throws {
        #expect(try ExecutableSearch.path(of: "sh", environment: []).hasSuffix("/bin/sh"))
    }
}

/// The environment of a command is exactly the requested one.
@Suite(.serialized, .ownThreads) struct SurroundingsOfACommandTests {
    @Test(arguments: ["exitStops", "polled"])
    func itHasThreeDescriptors(method: String) throws {
        var supervisor = Supervisor(fixture: "descriptors")
        supervisor.method = method
        #expect(try supervisor.run().values("descriptors") == ["[0, 1, 2]"])
    }

    @Test func itsSignalsAreTheDefaults() throws {
        // The supervisor ignores SIGCHLD, and the runtime of its language ignores others.
        let outcome = try Supervisor(fixture: "world").run()
        #expect(outcome.values("blocked") == ["[]"])
        #expect(outcome.values("ignored") == ["[]"])
    }

    @Test func itsWorldIsWhatWasAskedFor() throws {
        var supervisor = Supervisor(fixture: "world")
        supervisor.arguments = ["another-name", "world"]
        supervisor.environment = ["A=1", "B=two words"]
        supervisor.folder = "/usr"
        let outcome = try supervisor.run()
        #expect(outcome.values("arguments") == [#"["another-name", "world"]"#])
        #expect(outcome.values("variable") == ["A=1", "B=two words"])
        #expect(outcome.values("folder") == ["/usr"])
        #expect(outcome.values("leads-group") == ["true"])
    }

    @Test(arguments: ["exitStops", "polled"])
    func jemallocIsSeen(method: String) throws {
        var supervisor = Supervisor(fixture: "allocate", "1", "300")
        supervisor.method = method
        #expect(try supervisor.trace().processes.map(\.mapsJemalloc) == [false])
        supervisor.environment.append("LD_PRELOAD=libjemalloc.so.2")
        #expect(try supervisor.trace().processes.map(\.mapsJemalloc) == [true])
    }
}

/// Commands that want a terminal, traced by a process that has one.
@Suite(.serialized, .ownThreads) struct TerminalTests {
    private static func supervisor(_ script: String, _ method: String) -> Supervisor {
        var supervisor = Supervisor(["/bin/sh", "-c", script])
        supervisor.method = method
        supervisor.surroundings = ["in-terminal"]
        supervisor.timeoutNanoseconds = 30_000_000_000
        return supervisor
    }

    @Test(arguments: ["exitStops", "polled"], ["read line < /dev/tty", "stty -echo < /dev/tty", "echo x > /dev/tty"])
    func thereIsNone(method: String, script: String) throws {
        let answer = try Self.supervisor(script, method).run().answer
        let trace = try #require(answer.trace)
        #expect(!trace.timedOut && trace.signal == nil)
        #expect(trace.exitStatus != 0)
        #expect(answer.isClean)
    }

    @Test(arguments: ["exitStops", "polled"], [SIGTTIN, SIGTTOU, SIGTSTP])
    func noneOfItsStopsLasts(method: String, signal: Int32) throws {
        let trace = try #require(try Self.supervisor("kill -\(signal) $$; exit 7", method).run().answer.trace)
        #expect(trace.exitStatus == 7)
    }
}
