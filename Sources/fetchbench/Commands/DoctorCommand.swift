// SPDX-License-Identifier: Apache-2.0

import CommandConsole
import Foundation

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
        try Console.answer(Diagnosis.text(of: findings))
        if findings.contains(where: { $0.state == .missing }) { throw ExitCode.noAnswer }
    }

    /// The check of what `explain` needs.
    private var recorder: Diagnosis {
        let name = "recorder"
        do {
            _ = try RecorderLibrary(beside: HarnessContext.here.executable)
            return Diagnosis(name, .available, "`fetchbench explain` can show which functions hold the peak")
        } catch {
            return Diagnosis(name, .limited, "\(error)", remedy: "make build")
        }
    }

    private var cache: Diagnosis {
        let name = "cache of assets"
        let remedy = "set HOME or XDG_CACHE_HOME to a writable folder"
        let folder: AssetCache
        do {
            folder = try HarnessContext.here.cacheFolder()
        } catch {
            return Diagnosis(name, .missing, "\(error)", remedy: remedy)
        }
        let manager = FileManager.default
        if let obstacle = folder.obstacle {
            return Diagnosis(
                name, .limited, "\(obstacle): in \(folder.path), which the system may empty", remedy: remedy)
        }
        guard !manager.fileExists(atPath: folder.base) || manager.isWritableFile(atPath: folder.base) else {
            return Diagnosis(name, .missing, "\(folder.base) cannot be written", remedy: remedy)
        }
        return Diagnosis(name, .available, "in the user's cache folder")
    }
}

extension Diagnosis {
    /// Lines of state, name and detail, each followed by what to do.
    static func text(of diagnoses: [Diagnosis]) -> String {
        let width = diagnoses.map(\.name.count).max() ?? 0
        return diagnoses.map { diagnosis in
            let name = diagnosis.name.padded(to: width)
            let remedy = diagnosis.remedy.map { "\n" + String(repeating: " ", count: width + 11) + "→ " + $0 } ?? ""
            return "\(diagnosis.state.rawValue.padded(to: 7))  \(SafeText.forTerminal(name))  "
                + "\(SafeText.forTerminal(diagnosis.detail))\(remedy)\n"
        }.joined()
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
