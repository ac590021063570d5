// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Everything that reads what others wrote, in processes of its own: a trap ends one of them, not the tests.
@Suite(.ownThreads, .timeLimit(.minutes(5)))
struct FuzzTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Fuzz").path
    private static let fuzz =
        URL(fileURLWithPath: (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? "")
        .deletingLastPathComponent().path + "/fetchbench-fuzz"

    private static func files(of target: String, in kind: String) -> [String] {
        let place = "\(folder)/\(kind)/\(target)"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: place)) ?? []
        return names.filter { !$0.hasPrefix(".") }.sorted().map { place + "/" + $0 }
    }

    /// Earlier findings are refused without a crash; a seed that is refused shows that its format has changed.
    @Test func everyTargetReadsItsSeedsAndSurvivesEarlierFindings() throws {
        let list = try TestProcess.run(Self.fuzz, ["list"])
        let targets = list.text.split(separator: "\n").map(String.init)
        let seeded = try FileManager.default.contentsOfDirectory(atPath: Self.folder + "/Seeds")
        #expect(Set(targets) == Set(seeded.filter { !$0.hasPrefix(".") }) && !targets.isEmpty)
        for target in targets {
            let (seeds, findings) = (Self.files(of: target, in: "Seeds"), Self.files(of: target, in: "Corpus"))
            let ended = try TestProcess.run(
                Self.fuzz, ["read", target, "--folder", Self.folder] + seeds + findings,
                environment: ["SWIFT_BACKTRACE": "enable=no"], within: 120)
            #expect(ended.status == 0, "\(ended.text.suffix(300))\(ended.complaint)")
            let lines = ended.text.split(separator: "\n")
            #expect(lines.count == seeds.count + findings.count && !seeds.isEmpty, "\(target)")
            for line in lines.prefix(seeds.count) { #expect(line.hasSuffix(": accepted"), "\(line)") }
        }
    }
}
