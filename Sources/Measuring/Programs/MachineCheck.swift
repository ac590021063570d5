// SPDX-License-Identifier: Apache-2.0

import Glibc
import MemProbe
import Runs
import TrialKit

/// One thing that this machine can or cannot measure.
package struct MachineFinding: Codable, Hashable, Sendable {
    package enum State: String, Codable, Hashable, Sendable {
        case available = "ok"
        /// It works, with less precise figures.
        case limited
        case missing
    }

    package var name: String
    package var state: State
    package var detail: String
    /// The way to fix it, or `nil`.
    package var remedy: String?

    package init(_ name: String, _ state: State, _ detail: String, remedy: String? = nil) {
        self.name = name
        self.state = state
        self.detail = detail
        self.remedy = remedy
    }
}

/// The checks of `fetchbench doctor`.
package struct MachineCheck: Sendable {
    private let programs: TrialPrograms
    private let variables: TrialVariables
    private let temporaryDirectory: String

    package init(programs: TrialPrograms, variables: TrialVariables, temporaryDirectory: String) {
        self.programs = programs
        self.variables = variables
        self.temporaryDirectory = temporaryDirectory
    }

    package func findings() async -> [MachineFinding] {
        let abilities = EnvironmentProbe.abilities()
        var findings = [
            peakReset(abilities.canResetPeak), exactness, mappings(abilities.canReadMappings),
            programPages(abilities.canReadProgramPages), .peakError(PeakErrorBound.machine, of: .current),
            .zeroPages(of: .current), hugePages, pageCache, temporaryFiles, socketMemory, build, trialPrograms,
        ]
        for allocator in AllocatorArm.allCases { findings.append(await finding(of: allocator)) }
        return findings + [tracing]
    }

    private func peakReset(_ canReset: Bool) -> MachineFinding {
        canReset
            ? MachineFinding(
                "peak reset", .available, "/proc/PID/clear_refs resets VmHWM: the peak of each phase is exact")
            : MachineFinding(
                "peak reset", .missing,
                "/proc/PID/clear_refs cannot be written: the peak of a phase is exact only where it is the highest so far",
                remedy: "run on a kernel with CONFIG_PROC_PAGE_MONITOR, outside a sandbox that makes /proc read-only")
    }

    private var exactness: MachineFinding {
        let result = ExactnessProbe.run()
        return result == .exact
            ? MachineFinding("plain readings", .available, "statm agrees with smaps_rollup to the page")
            : MachineFinding(
                "plain readings", .limited,
                "statm is \(result.description), and so are samples and anonymous memory",
                remedy: "use Linux 6.16 or later, which is exact")
    }

    private func mappings(_ canRead: Bool) -> MachineFinding {
        canRead
            ? MachineFinding("PSS and USS", .available, "/proc/PID/smaps_rollup can be read")
            : MachineFinding(
                "PSS and USS", .missing,
                "/proc/PID/smaps_rollup cannot be read: proportional and unique sizes are empty",
                remedy: "use Linux 4.14 or later with a complete /proc")
    }

    private func programPages(_ canRead: Bool) -> MachineFinding {
        canRead
            ? MachineFinding("program pages", .available, "/proc/PID/pagemap can be read: peaks are judged net of them")
            : MachineFinding(
                "program pages", .missing,
                "/proc/PID/pagemap cannot be read: growth with program pages and anonymous memory are judged instead (for "
                    + "commands, anonymous memory only)",
                remedy: "use a kernel with CONFIG_PROC_PAGE_MONITOR and a complete /proc")
    }

    private var hugePages: MachineFinding {
        let mode = TransparentHugePages.mode ?? "unknown"
        return MachineFinding("huge pages", .available, "\(mode) in the system; trials turn them off for themselves")
    }

    private var pageCache: MachineFinding {
        canReadPageCache
            ? MachineFinding("page cache", .available, "the cached part of a file can be read")
            : MachineFinding(
                "page cache", .missing, "neither cachestat nor mincore works: the column page_cache_bytes is empty")
    }

    /// Tested with a new file like those of trials: the kernel tells a user nothing about files of others.
    private var canReadPageCache: Bool {
        var template = Array((temporaryDirectory + "/fetchbench-XXXXXX").utf8CString)
        let descriptor = mkstemp(&template)
        guard descriptor >= 0 else { return false }
        defer {
            close(descriptor)
            unlink(template)
        }
        guard write(descriptor, "x", 1) == 1 else { return false }
        let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return (try? PageCache.residentBytes(ofFile: path)) != nil
    }

    private var temporaryFiles: MachineFinding {
        let type = FileSystem.type(of: temporaryDirectory)
        guard FileSystem.isMemory(type) else {
            return MachineFinding("files to fetch to", .available, "TMPDIR is on \(type)")
        }
        return MachineFinding(
            "files to fetch to", .limited, "TMPDIR is on \(type), where a file is memory",
            remedy: "set TMPDIR to a folder on a disk")
    }

    private var socketMemory: MachineFinding {
        (try? SocketMemory.read()) != nil
            ? MachineFinding(
                "socket memory", .available, "/proc/net/sockstat can be read (no column of a run uses it yet)")
            : MachineFinding("socket memory", .missing, "/proc/net/sockstat cannot be read")
    }

    private var build: MachineFinding {
        BuildInformation.configuration == "release"
            ? MachineFinding("build", .available, "release, Swift \(BuildInformation.swiftVersion)")
            : MachineFinding(
                "build", .limited, "debug: CPU figures are meaningless", remedy: "swift build -c release")
    }

    private var trialPrograms: MachineFinding {
        let names = programs.executables.map(\.name).joined(separator: ", ")
        return programs.missing.isEmpty
            ? MachineFinding("trial programs", .available, names)
            : MachineFinding(
                "trial programs", .limited,
                "\(programs.missing.joined(separator: ", ")) not built: their modes cannot be measured",
                remedy: "make build")
    }

    private func finding(of allocator: AllocatorArm) async -> MachineFinding {
        let name = "allocator \(allocator.rawValue)"
        guard let program = programs.executables.first else {
            return MachineFinding(name, .missing, "unknown: no trial program is built")
        }
        let identity = await AllocatorCheck.identity(of: allocator, in: program.path, variables: variables)
        guard let identity, identity.name == allocator.expectedIdentity else {
            return MachineFinding(
                name, .missing,
                "a process started with it runs on \(identity?.name ?? "nothing"): its cases are skipped",
                remedy: allocator.preloadedLibrary == nil ? nil : "apt-get install libjemalloc2")
        }
        return MachineFinding(name, .available, "\(identity.name) \(identity.shortVersion)")
    }
}
