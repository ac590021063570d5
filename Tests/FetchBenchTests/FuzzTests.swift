// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// Everything that reads what others wrote, in processes of its own: a trap ends one of them, not the tests.
@Suite(.ownThreads, .timeLimit(.minutes(5)))
struct FuzzTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Fuzz").path
    private static let fuzz =
        URL(fileURLWithPath: (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? "")
        .deletingLastPathComponent().path + "/fetchbench-fuzz"

    /// The files of a folder by target: `report/small.json`.
    private static func files(of kind: String) -> [String] {
        let found = (try? FileManager.default.subpathsOfDirectory(atPath: folder + "/" + kind)) ?? []
        return found.filter { $0.contains("/") && !$0.contains("/.") }.sorted()
    }

    private static func target(of file: String) -> String { String(file.prefix { $0 != "/" }) }

    private func read(_ file: String, of kind: String) throws -> EndedProcess {
        try TestProcess.run(
            Self.fuzz,
            ["one", Self.target(of: file), "\(Self.folder)/\(kind)/\(file)", "--folder", Self.folder],
            environment: ["SWIFT_BACKTRACE": "enable=no"], within: 60)
    }

    /// Earlier findings are refused without a crash.
    @Test(arguments: files(of: "Corpus"))
    func earlierFindingsDoNotTrap(file: String) throws {
        let ended = try read(file, of: "Corpus")
        #expect(ended.status == 0, "\(file): \(ended.complaint)")
    }

    /// A seed that is refused shows that its format has changed: its target would try nothing any more.
    @Test(arguments: files(of: "Seeds"))
    func aSeedIsReadWithoutAnError(file: String) throws {
        let ended = try read(file, of: "Seeds")
        #expect(ended.status == 0 && ended.text == "accepted\n", "\(file): \(ended.text)\(ended.complaint)")
    }

    @Test func everyTargetHasSeedsAndTheReverse() throws {
        let list = try TestProcess.run(Self.fuzz, ["list"])
        #expect(Set(list.text.split(separator: "\n").map(String.init)) == Set(Self.files(of: "Seeds").map(Self.target)))
    }

    /// The seeds are the same each time, so that a change of the code is what a new finding comes from.
    @Test(arguments: Set(files(of: "Seeds").map(target)).sorted())
    func twoThousandInputsDoNotTrap(target: String) throws {
        let ended = try TestProcess.run(
            Self.fuzz, ["run", target, "--count", "2000", "--findings", "1", "--no-store", "--folder", Self.folder])
        #expect(ended.status == 0, "\(ended.text)\(ended.complaint)`make fuzz` stores what it finds")
    }
}
