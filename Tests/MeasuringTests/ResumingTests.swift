// SPDX-License-Identifier: Apache-2.0

import Foundation
import Measuring
import Runs
import Testing

/// With what a measurement goes on: with the same programs, commands and URLs alone.
struct ResumingTests {
    @Test func secretsHaveToBeGivenAgain() async throws {
        try await withTemporaryFolder { folder in
            var words = PlanWords()
            words[.exec] = ["get=curl -H 'Authorization: hidden' {url}"]
            let request = try PlanRequest(words, .fake)
            let measurement = try await request.begun(in: folder)
            let record = measurement.record
            #expect(try !RunStore.text(of: record).contains("hidden"))
            #expect(measurement.resumption(with: ["--explain"]).hasSuffix(" --exec 'get=…' --explain"))
            let again = try words.externalCommands(besides: [])
            let refused = [
                [], [try ExternalCommand(parsing: "get=curl {url}")],
                again + [try ExternalCommand(parsing: "unknown=curl {url}")],
            ]
            for given in refused {
                #expect(throws: FetchBenchError.self) { try FakeMeasurement.inputs(resuming: record, commands: given) }
            }
            #expect(throws: FetchBenchError.self) {
                try FakeMeasurement.inputs(resuming: record, url: "http://127.0.0.1:1/", commands: again)
            }
            #expect(try FakeMeasurement.inputs(resuming: record, commands: again).commands["get"] == again[0])
        }
    }

    @Test func aCommandThatWasNotTheOneIsRefused() async throws {
        try await withTemporaryFolder { folder in
            var words = PlanWords()
            words[.exec] = ["get=curl -s {url}"]
            let request = try PlanRequest(words, .fake)
            let record = try await request.begun(in: folder).record
            #expect(throws: FetchBenchError.self) {
                try FakeMeasurement.inputs(
                    resuming: record, commands: [ExternalCommand(parsing: "get=tail -c 90000000 {url}")])
            }
            #expect(throws: Never.self) { try FakeMeasurement.inputs(resuming: record) }
        }
    }

    /// Of plain commands these are their text, what goes before and after them, and the values of their parameters.
    @Test func secretsOfPlainCommandsHaveToBeGivenAgain() async throws {
        try await withTemporaryFolder { folder in
            var asked = CommandsRequest(commands: ["tool --password hunter2", "curl {u}", "sort {n}"])
            asked.preparations = ["login", "login --token hunter3", "login"]
            let lists = ["u=https://me:hunter4@h/a,https://h/b", "n=1,2"]
            let request = try PlanRequest.plain(asked) { $0[.parameters] = lists }
            let record = try await request.begun(in: folder) { $0.execCommand() }.record
            #expect(try !RunStore.text(of: record).contains("hunter"))
            let again = try asked.plainCommands(redaction: HarnessContext.fake(folder).redaction)
            let parameters = request.parameters.all
            let nothing = TrialPrograms(executables: [])
            func resumed(_ commands: [ExternalCommand], _ lists: [CommandParameter]) throws -> TrialInputs {
                try FakeMeasurement.inputs(
                    resuming: record, commands: commands, parameters: lists, programs: nothing)
            }
            var other = again
            other[2].preparation = "login --as me"
            let refused: [([ExternalCommand], [CommandParameter], String)] = [
                ([], parameters, "without secrets"), ([again[0]], parameters, "without secrets"),
                (again, [], "the values of {u} are not stored"),
                (again, [parameters[1]], "give them again with --parameter-list"),
                (other, parameters, "was different"),
            ]
            for (commands, lists, words) in refused {
                #expect(
                    "\(words)", performing: { try resumed(commands, lists) }, throws: { "\($0)".contains(words) })
            }
            let inputs = try resumed(Array(again.prefix(2)), [parameters[0]])
            #expect(inputs.commands["curl {u}"] == again[1] && inputs.parameters == [parameters[0]])
            #expect(throws: Never.self) { try resumed(again, parameters) }
        }
    }

    /// A number that stands for a value which was not given again would be run as it stands.
    @Test func everySecretValueHasToBeGivenAgain() async throws {
        try await withTemporaryFolder { folder in
            let asked = CommandsRequest(commands: ["curl {u}"])
            let request = try PlanRequest.plain(asked) { $0[.parameters] = ["u=https://a:b@h/1,https://a:b@h/2"] }
            let record = try await request.begun(in: folder).record
            #expect(throws: FetchBenchError.self) {
                try FakeMeasurement.inputs(
                    resuming: record, parameters: [CommandParameter("u", values: ["https://a:b@h/1"])],
                    programs: TrialPrograms(executables: []))
            }
        }
    }

    /// Without a secret in it a run of plain commands goes on with what is stored.
    @Test func completeFilesNeedNothing() async throws {
        try await withTemporaryFolder { folder in
            let request = try PlanRequest.plain(CommandsRequest(commands: ["sort {n}"])) { $0[.parameters] = ["n=1,2"] }
            let record = try await request.begun(in: folder).record
            let inputs = try FakeMeasurement.inputs(resuming: record, programs: TrialPrograms(executables: []))
            #expect(inputs.flagsToRepeat(of: record).isEmpty)
        }
    }

    @Test func aRunGoesOnWithTheSameProgramsAlone() async throws {
        try await withTemporaryFolder { folder in
            let record = try await FakeMeasurement.begun(.run, in: folder).record
            #expect(record.programs?.map(\.name) == ["trial-one"])
            #expect(throws: Never.self) { try FakeMeasurement.inputs(resuming: record) }
            let other = folder + "/trial-one"
            try Data("another program".utf8).write(to: URL(fileURLWithPath: other))
            let rebuilt = TrialPrograms(
                executables: [TrialExecutable(path: other, description: TrialPrograms.fake.executables[0].description)])
            #expect(throws: FetchBenchError.self) { try FakeMeasurement.inputs(resuming: record, programs: rebuilt) }
        }
    }

    @Test func aCopyIsNotGoneOnWithAsTheFileItself() async throws {
        try await withTemporaryFolder { folder in
            let request = try FakeMeasurement.request()
            let plan = try await request.synthetic().plan
            let here = HarnessContext.fake(folder)
            for (begun, resumed) in [(Sides.Pair.copy, Sides.Pair.itself), (.itself, .copy)] {
                let path = try await RunMeasurement.begun(
                    .calibration, Sides(begun), of: request, plan, pairs: 4,
                    to: RunMeasurement.Destination(output: folder, label: nil), in: here
                ).folder
                #expect(throws: FetchBenchError.otherSides(name: path.name, side: .head)) {
                    try FakeMeasurement.resumed(path, .calibration, Sides(resumed), in: here)
                }
                #expect(throws: Never.self) { try FakeMeasurement.resumed(path, .calibration, Sides(begun), in: here) }
            }
        }
    }

    @Test func aProgramThatIsTooOldIsRefusedBeforeAnythingRuns() async throws {
        try await withTemporaryFolder { folder in
            var words = PlanWords()
            words[.modes] = ["data"]
            words.conditions = ["start": ["cold"]]
            let request = try PlanRequest(words, .older)
            let plan = try await request.synthetic().plan
            let destination = RunMeasurement.Destination(output: folder + "/results", label: nil)
            await #expect(
                performing: {
                    try await RunMeasurement.begun(.run, of: request, plan, to: destination, in: .fake(folder))
                }, throws: { "\($0)".contains("needs 3; rebuild it") })
            let newer = try PlanRequest(words, .fake)
            await #expect(
                performing: {
                    try await RunMeasurement.begun(
                        .comparison, Sides(.programs(base: .fake, head: .older)), of: newer, plan, pairs: 4,
                        to: destination,
                        in: .fake(folder))
                }, throws: { "\($0)".contains("needs 3; rebuild it") })
            #expect(!FileManager.default.fileExists(atPath: destination.output), "no folder for nothing")
        }
    }

    @Test func anotherBuildDoesNotFinishAComparison() async throws {
        try await withTemporaryFolder { folder in
            let path = try await FakeMeasurement.begun(.comparison, in: folder).folder
            func resumed(_ sides: Sides.Pair) throws {
                _ = try FakeMeasurement.resumed(path, .comparison, Sides(sides), in: .fake(folder))
            }
            #expect(throws: Never.self) { try resumed(.programs(base: .fake, head: .fake)) }
            // Another size of a file of the same name.
            let other = folder + "/trial-one"
            try Data("another program".utf8).write(to: URL(fileURLWithPath: other))
            let rebuilt = TrialPrograms(
                executables: [TrialExecutable(path: other, description: TrialPrograms.fake.executables[0].description)])
            #expect(throws: FetchBenchError.otherSides(name: path.name, side: .head)) {
                try resumed(.programs(base: .fake, head: rebuilt))
            }
            let command = try ExternalCommand(parsing: "command=curl {url}")
            #expect(throws: FetchBenchError.otherSides(name: path.name, side: .base)) {
                try resumed(.commands(base: command, head: command))
            }
        }
    }
}

/// Values derived from the process's own context.
@Suite struct HarnessContextTests {
    private func context(_ environment: [String: String]) -> HarnessContext {
        HarnessContext(
            arguments: [], environment: environment, executable: "/opt/bin/fetchbench", workingDirectory: "/work/here",
            user: 1000, drawsProgress: false)
    }

    @Test func temporaryFilesAreWhereTheUserSays() {
        #expect(context([:]).temporaryDirectory == "/tmp")
        #expect(context(["TMPDIR": ""]).temporaryDirectory == "/tmp")
        #expect(context(["TMPDIR": "/scratch"]).temporaryDirectory == "/scratch")
        #expect(context(["TMPDIR": "scratch"]).temporaryDirectory == "/work/here/scratch")
        #expect(context([:]).neighbour("lib") == "/opt/bin/lib")
    }

    /// 32 KiB of environment are 32 KiB of memory, and what a shell exports is nobody's business.
    @Test func theOriginGetsWhatItNeeds() throws {
        let given = ["HOME": "/home/me", "XDG_CACHE_HOME": "/caches", "TOKEN": "secret", "SSL_CERT_FILE": "/ca"]
        #expect(
            try context(given).originEnvironment() == [
                "HOME": "/home/me", "XDG_CACHE_HOME": "/caches", "SSL_CERT_FILE": "/ca",
                TrialVariables.backtrace.name: TrialVariables.backtrace.value,
            ])
    }

    @Test func storedFilesNameNoFolderOfTheUser() {
        let here = context(["HOME": "/home/me", "TMPDIR": "/scratch"])
        #expect(here.redaction.text("cat /home/me/a /work/here/b /scratch/c") == "cat ~/a ./b TMPDIR/c")
        let pasted = ShellWord.quoted(here.shellRedaction.text("/home/me/a"))
        #expect(pasted == #""$HOME"'/a'"#)
    }

    @Test func gitGetsTheEnvironmentOfTheUser() async {
        var here = context(["GIT_DIR": "/elsewhere"])
        here.outside.revision = { SourceRevision(commit: $0["GIT_DIR"] ?? "", hasUncommittedChanges: false) }
        #expect(await here.revision()?.commit == "/elsewhere")
        here.outside.machine = { folder in
            var machine = SyntheticRun.environment
            machine.temporaryFileSystem = folder
            return machine
        }
        #expect(here.machine().temporaryFileSystem == "/tmp")
    }
}

struct MemoryLimitTests {
    @Test func theStandardIsHalfOfTheLess() {
        #expect(TrialMemoryLimit.half(of: [.mebibytes(1000), .mebibytes(600)]) == .mebibytes(300))
        #expect(TrialMemoryLimit.half(of: [ByteCount(10_001)]) == ByteCount(4096), "whole pages")
        #expect(TrialMemoryLimit.half(of: []) == nil)
    }

    @Test func theStandardOfThisMachineLeavesRoomForATrial() throws {
        let limit = try #require(TrialMemoryLimit.standard)
        #expect(limit > .mebibytes(64) && limit.rawValue.isMultiple(of: 4096))
    }

    @Test func settingsOfOlderRunsHaveNone() throws {
        var settings = TrialSettings()
        settings.memoryLimit = .mebibytes(200)
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let stored = String(decoding: try encoder.encode(settings), as: UTF8.self)
        #expect(stored.contains(#""memory_limit_bytes":209715200"#))
        #expect(try decoded(stored).memoryLimit == .mebibytes(200))
        let older = stored.replacingOccurrences(of: #""memory_limit_bytes":209715200,"#, with: "")
        #expect(older != stored)
        #expect(try decoded(older).memoryLimit == nil)
    }

    private func decoded(_ text: String) throws -> TrialSettings {
        try JSONDecoder().decode(TrialSettings.self, from: Data(text.utf8))
    }
}
