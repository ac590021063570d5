// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import MemProbe
import TestSupport
import Testing

/// A tracer that is killed, at any instant, leaves nothing of its command running.
@Suite(.serialized, .ownThreads) struct KilledTracerTests {
    /// Commands that would run on for a minute, with descendants that have cut every tie.
    private static let commands = [
        ["daemon", "2", "60000"], ["children", "3", "2", "60000"], ["chain", "60000"], ["stand", "2"],
    ]

    @Test(arguments: ["exitStops", "polled"], commands)
    func nothingIsLeft(method: String, command: [String]) throws {
        for signal in [SIGKILL, SIGKILL, SIGKILL, SIGTERM, SIGHUP] {
            var supervisor = Supervisor([Supervisor.fixture] + command)
            supervisor.method = method
            let process = try supervisor.start()
            let token = supervisor.environment[1]
            usleep(UInt32.random(in: 0..<200_000))
            process.send(signal)
            _ = try process.end(within: 60)
            #expect(try Self.isGone(token), "\(Self.living(token)) after \(signal)")
        }
    }

    @Test func aKilledGuardianEndsTheCommand() throws {
        var supervisor = Supervisor(fixture: "daemon", "2", "60000")
        supervisor.method = "polled"
        let process = try supervisor.start()
        let guardian = try #require(Self.waitForChild(of: process.identifier))
        kill(guardian, SIGKILL)
        let end = try process.end(within: 60)
        let answer = try JSONDecoder().decode(Answer.self, from: Data(end.complaint.utf8))
        #expect(answer.childrenLeft == 0)
        #expect(try Self.isGone(supervisor.environment[1]))
    }

    private static func waitForChild(of parent: Int32) -> Int32? {
        for _ in 0..<10_000 {
            let text = try? String(contentsOfFile: "/proc/\(parent)/task/\(parent)/children", encoding: .utf8)
            if let child = text?.split(separator: " ").first.flatMap({ Int32($0) }) { return child }
            usleep(1000)
        }
        return nil
    }

    /// Whether no process is left whose environment or arguments hold a word, after a moment at most.
    private static func isGone(_ word: String) throws -> Bool {
        let last = ContinuousClock.now + .seconds(20)
        while ContinuousClock.now < last {
            if living(word).isEmpty { return true }
            usleep(5000)
        }
        return false
    }

    private static func living(_ word: String) -> [Int32] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.compactMap { Int32($0) }.filter { identifier in
            ["environ", "cmdline"].contains { file in
                let data = FileManager.default.contents(atPath: "/proc/\(identifier)/\(file)")
                return data.map { String(decoding: $0, as: UTF8.self).contains(word) } ?? false
            }
        }
    }
}
