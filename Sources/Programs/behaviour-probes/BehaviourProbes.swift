// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import ProbeProtocol
import Probes
import TrialKit

/// The child of `fetchbench behaviours`: makes the calls of one probe and reports what the caller sees.
@main
enum BehaviourProbes {
    static func main() async {
        let words = CommandLine.arguments.dropFirst()
        if Array(words) == ["--libraries"] { answerLibraries() }
        guard [3, 5].contains(words.count), let name = words.first, let probe = ProbeCatalog.probe(named: name) else {
            complain("give the name of a probe, an origin and a folder; `fetchbench behaviours` starts probes")
            _exit(64)
        }
        OwnProgram.endsWithParent()
        let rest = Array(words.dropFirst())
        do {
            let overTLS = rest.count == 4
            try await probe.run(
                ProbeContext(
                    origin: rest[0], directory: rest[1], secureOrigin: overTLS ? rest[2] : nil,
                    authority: overTLS ? rest[3] : nil))
        } catch {
            complain("\(error)")
            _exit(2)
        }
        if probe.runsExitHandlers { exit(0) }
        // Without exit handlers: a crash in one of a library under test would look like a trap of its API.
        _exit(0)
    }

    private static func answerLibraries() -> Never {
        let facts = ProbeLine.LibraryFacts(
            libcurl: LoadedLibraries.libcurl, platform: LoadedLibraries.toolchainPlatform)
        guard let text = try? JSONEncoder().encode(facts) else { _exit(2) }
        FileHandle.standardOutput.write(text)
        _exit(0)
    }

    private static func complain(_ words: String) {
        FileHandle.standardError.write(Data("error: \(words)\n".utf8))
    }
}
