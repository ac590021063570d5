// SPDX-License-Identifier: Apache-2.0

import MemProbeTesting
import Testing

/// How a test is started again.
struct TestCommandTests {
    @Test(arguments: [
        "Module.Suite/test()/File.swift:3:4", "Module.Suite/Inner/`a [b] (c)+ d* {e}? ^$ | f\\g.h`()/File.swift:1:2",
        "Module.über(größe:)/Datei.swift:10:20",
    ])
    func theFilterFindsTheOneTest(identifier: String) throws {
        let pattern = try Regex(TestCommand.pattern(of: identifier))
        #expect(identifier.firstMatch(of: pattern) != nil)
        #expect((identifier + "0").firstMatch(of: pattern) == nil, "another column of the same line")
        #expect(("Other" + identifier).firstMatch(of: pattern) == nil)
    }

    @Test func nothingOfTheWholeRunIsHandedOn() {
        let command = TestCommand(own: [
            "tests.xctest", "--filter", "Other", "--parallel", "--event-stream-output-path", "/tmp/parent",
            "--repetitions",
            "3", "--testing-library", "swift-testing",
        ])
        let arguments = command.arguments(running: "Module.test()/File.swift:3:4", in: ChildFolder(path: "/tmp/child"))
        #expect(arguments.first == "tests.xctest")
        #expect(!arguments.contains { ["Other", "--parallel", "/tmp/parent", "--repetitions", "3"].contains($0) })
        #expect(arguments.contains("/tmp/child/events.jsonl"))
        #expect(arguments.contains("--no-parallel"))
    }

    @Test func theBundleIsHandedOn() {
        let command = TestCommand(own: ["helper", "--test-bundle-path", "/tmp/bundle", "--filter", "Other"])
        let arguments = command.arguments(running: "Module.test()", in: ChildFolder(path: "/tmp/child"))
        #expect(arguments.prefix(3) == ["helper", "--test-bundle-path", "/tmp/bundle"])
    }

    @Test func thisProcessKnowsHowItWasStarted() throws {
        let command = try #require(TestCommand())
        #expect(command.own == CommandLine.arguments)
    }
}
