// SPDX-License-Identifier: Apache-2.0

import Glibc
import MemProbe
import Runs
import TrialKit

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

    package func findings() async -> [Diagnosis] {
        let abilities = EnvironmentProbe.abilities()
        var findings = [
            peakReset(abilities.canResetPeak), exactness, mappings(abilities.canReadMappings),
            programPages(abilities.canReadProgramPages), .peakError(PeakErrorBound.machine, of: .current),
            .zeroPages(of: .current), hugePages, pageCache, temporaryFiles, socketMemory, build, trialPrograms,
        ]
        for allocator in AllocatorArm.allCases where allocator != .own { findings.append(await finding(of: allocator)) }
        return findings + [tracing]
    }

    private func peakReset(_ canReset: Bool) -> Diagnosis {
        canReset
            ? Diagnosis(
                "peak reset", .available, "/proc/PID/clear_refs resets VmHWM: the peak of each phase is exact")
            : Diagnosis(
                "peak reset", .missing,
                "/proc/PID/clear_refs cannot be written: the peak of a phase is exact only where it is the highest so far",
                remedy: "run on a kernel with CONFIG_PROC_PAGE_MONITOR, outside a sandbox that makes /proc read-only")
    }

    private var exactness: Diagnosis {
        let result = ExactnessProbe.run()
        return result == .exact
            ? Diagnosis("plain readings", .available, "statm agrees with smaps_rollup to the page")
            : Diagnosis(
                "plain readings", .limited,
                "statm is \(result.description), and so are samples and anonymous memory",
                remedy: "use Linux 6.16 or later, which is exact")
    }

    private func mappings(_ canRead: Bool) -> Diagnosis {
        canRead
            ? Diagnosis("PSS and USS", .available, "/proc/PID/smaps_rollup can be read")
            : Diagnosis(
                "PSS and USS", .missing,
                "/proc/PID/smaps_rollup cannot be read: proportional and unique sizes are empty",
                remedy: "use Linux 4.14 or later with a complete /proc")
    }

    private func programPages(_ canRead: Bool) -> Diagnosis {
        canRead
            ? Diagnosis("program pages", .available, "/proc/PID/pagemap can be read: peaks are judged net of them")
            : Diagnosis(
                "program pages", .missing,
                "/proc/PID/pagemap cannot be read: growth with program pages and anonymous memory are judged instead (for "
                    + "commands, anonymous memory only)",
                remedy: "use a kernel with CONFIG_PROC_PAGE_MONITOR and a complete /proc")
    }

    private var hugePages: Diagnosis {
        let mode = TransparentHugePages.mode ?? "unknown"
        return Diagnosis("huge pages", .available, "\(mode) in the system; trials turn them off for themselves")
    }

    private var pageCache: Diagnosis {
        canReadPageCache
            ? Diagnosis("page cache", .available, "the cached part of a file can be read")
            : Diagnosis(
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

    private var temporaryFiles: Diagnosis {
        let type = FileSystem.type(of: temporaryDirectory)
        guard FileSystem.isMemory(type) else {
            return Diagnosis("files to fetch to", .available, "TMPDIR is on \(type)")
        }
        return Diagnosis(
            "files to fetch to", .limited, "TMPDIR is on \(type), where a file is memory",
            remedy: "set TMPDIR to a folder on a disk")
    }

    private var socketMemory: Diagnosis {
        (try? SocketMemory.read()) != nil
            ? Diagnosis(
                "socket memory", .available, "/proc/net/sockstat can be read (no column of a run uses it yet)")
            : Diagnosis("socket memory", .missing, "/proc/net/sockstat cannot be read")
    }

    private var build: Diagnosis {
        BuildInformation.configuration == "release"
            ? Diagnosis("build", .available, "release, Swift \(BuildInformation.swiftVersion)")
            : Diagnosis(
                "build", .limited, "debug: CPU figures are meaningless", remedy: "swift build -c release")
    }

    private var trialPrograms: Diagnosis {
        let names = programs.executables.map(\.name).joined(separator: ", ")
        return programs.missing.isEmpty
            ? Diagnosis("trial programs", .available, names)
            : Diagnosis(
                "trial programs", .limited,
                "\(programs.missing.joined(separator: ", ")) not built: their modes cannot be measured",
                remedy: "make build")
    }

    private func finding(of allocator: AllocatorArm) async -> Diagnosis {
        let name = "allocator \(allocator.rawValue)"
        guard let program = programs.executables.first else {
            return Diagnosis(name, .missing, "unknown: no trial program is built")
        }
        let identity = await AllocatorCheck.identity(of: allocator, in: program.path, variables: variables)
        guard let identity, allocator.isNamed(identity.name) else {
            return Diagnosis(
                name, .missing,
                "a process started with it runs on \(identity?.name ?? "nothing"): its cases are skipped",
                remedy: allocator.preloadedLibrary == nil ? nil : "apt-get install libjemalloc2")
        }
        return Diagnosis(name, .available, "\(identity.name) \(identity.shortVersion)")
    }
}
