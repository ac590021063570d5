// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Measuring
import MemProbe
import Runs
import Texts

/// `fetchbench doctor`: reports what this machine can and cannot measure, and how to fix it.
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Check what this machine can measure, and how to fix the rest.",
        discussion: "Exit status: 0 everything is available; 2 something is missing.")

    func run() async throws {
        // Every other finding would be about another process.
        if let obstacle = ProcFileSystem.obstacle { throw FetchBenchError.memory(obstacle) }
        let check = MachineCheck(
            programs: try await HarnessContext.here.programs(), variables: HarnessContext.here.variables,
            temporaryDirectory: HarnessContext.here.temporaryDirectory)
        let findings = await check.findings() + [recorder, cache]
        let width = findings.map(\.name.count).max() ?? 0
        let lines = findings.map { finding in
            let name = finding.name + String(repeating: " ", count: width - finding.name.count)
            let state = finding.state.rawValue + String(repeating: " ", count: 7 - finding.state.rawValue.count)
            let remedy = finding.remedy.map { "\n" + String(repeating: " ", count: width + 11) + "→ " + $0 } ?? ""
            return "\(state)  \(name)  \(SafeText.forTerminal(finding.detail))\(remedy)\n"
        }
        try Console.answer(lines.joined())
        if findings.contains(where: { $0.state == .missing }) { throw ExitStatus.noAnswer }
    }

    /// The check of what `explain` needs.
    private var recorder: MachineFinding {
        let name = "recorder"
        do throws(FetchBenchError) {
            _ = try RecorderLibrary(beside: HarnessContext.here.executable)
            return MachineFinding(name, .available, "`fetchbench explain` can show which functions hold the peak")
        } catch {
            return MachineFinding(name, .limited, error.explanation, remedy: "make build")
        }
    }

    /// The check of the folder where assets are cached.
    private var cache: MachineFinding {
        let name = "cache of assets"
        let remedy = "set HOME or XDG_CACHE_HOME to a writable folder"
        let folder: CacheFolder
        do throws(FetchBenchError) {
            folder = try HarnessContext.here.cacheFolder()
        } catch {
            return MachineFinding(name, .missing, error.explanation, remedy: remedy)
        }
        let manager = FileManager.default
        if let obstacle = folder.obstacle {
            return MachineFinding(
                name, .limited, "\(obstacle): in \(folder.path), which the system may empty", remedy: remedy)
        }
        guard !manager.fileExists(atPath: folder.base) || manager.isWritableFile(atPath: folder.base) else {
            return MachineFinding(name, .missing, "\(folder.base) cannot be written", remedy: remedy)
        }
        return MachineFinding(name, .available, "in the user's cache folder")
    }
}
