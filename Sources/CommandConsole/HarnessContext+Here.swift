// SPDX-License-Identifier: Apache-2.0

import Glibc
package import Origin

extension HarnessContext {
    /// The context of this process: the only place that reads its arguments and environment.
    package static let here = HarnessContext(
        arguments: SystemText.arguments, environment: SystemText.environment,
        executable: SystemText.target(ofLink: "/proc/self/exe") ?? CommandLine.arguments.first ?? "fetchbench",
        workingDirectory: SystemText.workingDirectory ?? "/", user: geteuid(),
        drawsProgress: isatty(STDERR_FILENO) == 1)

    package static var isInteractive: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }

    package static var answersOnTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    /// True if standard output and standard error are the same terminal, file or pipe.
    package static var answersBesideErrors: Bool {
        var (answers, errors) = (stat(), stat())
        guard fstat(STDOUT_FILENO, &answers) == 0, fstat(STDERR_FILENO, &errors) == 0 else { return false }
        return answers.st_dev == errors.st_dev && answers.st_ino == errors.st_ino
    }

    /// The named trial programs and those beside this command, after a warning for each mode that several declare.
    package func announcedPrograms(named paths: [String]) async throws -> TrialPrograms {
        announced(try await programs(named: paths), named: paths)
    }

    package func announced(_ programs: TrialPrograms, named paths: [String]) -> TrialPrograms {
        programs.doubledModes(ofNamed: paths.count).forEach(Console.warn)
        return programs
    }
}

extension AssetLibrary {
    /// The assets, cached outside of any repository; a fallback to a temporary folder is reported once.
    package static let announced = Result {
        let folder = try HarnessContext.here.cacheFolder()
        if let obstacle = folder.obstacle {
            Console.warn("\(obstacle): assets are kept in \(folder.path), which the system may empty")
        }
        return AssetLibrary(cacheDirectory: folder.path)
    }

    package static func announcedAsset(named name: String, seed: UInt64) throws -> (asset: Asset, warnings: [String]) {
        let library = try announced.get()
        let asset: Asset
        do {
            asset = try library.asset(named: name, seed: seed)
        } catch {
            throw FetchBenchError("an asset cannot be prepared: \(error)", kind: .temporary)
        }
        return (asset, library.warnings(about: asset))
    }
}
