// SPDX-License-Identifier: Apache-2.0

import Glibc
import Profiles
package import Runs

/// One thing that was checked: of the machine by `doctor`, of a trial program by `try`.
package struct Diagnosis: Codable, Hashable, Sendable {
    package enum State: String, Codable, Hashable, Sendable {
        case available = "ok"
        case limited
        case missing
        case failed
    }

    package var name: String
    package var state: State
    package var detail: String
    package var remedy: String?

    package init(_ name: String, _ state: State, _ detail: String, remedy: String? = nil) {
        (self.name, self.state, self.detail, self.remedy) = (name, state, detail, remedy)
    }

    /// Creates the finding of a check that has two answers; only the worse one has a remedy.
    init(
        _ name: String, _ isAvailable: Bool, _ detail: String, else worse: State, _ obstacle: String,
        remedy: String? = nil
    ) {
        self = isAvailable ? Self(name, .available, detail) : Self(name, worse, obstacle, remedy: remedy)
    }
}

extension Diagnosis {
    /// The possible error of the kernel's high-water mark.
    package static func peakError(_ bound: PeakErrorBound.Machine, of kernel: KernelVersion?) -> Diagnosis {
        let name = "error of the peak"
        guard bound.ofThread > .zero else {
            return Diagnosis(
                name, .available,
                "VmHWM may be low by at most \(bound.ofProcess.rawValue / 1024) KiB on this machine's processors")
        }
        let more = bound.ofProcess > .zero ? ", and \(bound.ofProcess.rawValue / 1024) KiB besides" : ""
        return Diagnosis(
            name, .limited,
            "VmHWM may be low by \(bound.ofThread.rawValue / 1024) KiB for each thread of a process\(more): "
                + (kernel.map { "on Linux \($0), each thread defers counting its last page faults" }
                    ?? "the kernel version is unknown"),
            remedy: "use Linux 6.2 or later, whose error does not grow with the number of threads")
    }

    /// The ability to distinguish memory that was only read from used memory.
    package static func zeroPages(of kernel: KernelVersion?) -> Diagnosis {
        let name = "pages of zeros"
        guard let kernel, kernel >= .tellsZeroPages else {
            let who = kernel.map { "Linux \($0)" } ?? "a kernel of unknown version"
            return Diagnosis(
                name, .limited,
                "\(who) cannot distinguish them from used memory: explain overestimates holders whose memory is read "
                    + "but never written",
                remedy: "use Linux 6.7 or later")
        }
        return Diagnosis(name, .available, "explain distinguishes them from used memory")
    }
}

package struct MachineCheck: Sendable {
    private let programs: TrialPrograms
    private let variables: TrialVariables
    private let temporaryDirectory: String

    package init(programs: TrialPrograms, variables: TrialVariables, temporaryDirectory: String) {
        (self.programs, self.variables) = (programs, variables)
        self.temporaryDirectory = temporaryDirectory
    }

    package func findings() async -> [Diagnosis] {
        let abilities = EnvironmentProbe.abilities()
        var findings = [
            peakReset(abilities.canResetPeak), exactness, mappings(abilities.canReadMappings),
            programPages(abilities.canReadProgramPages), .peakError(PeakErrorBound.machine, of: .current),
            .zeroPages(of: .current), functionNames, hugePages, pageCache, temporaryFiles, build,
            trialPrograms,
        ]
        for allocator in AllocatorArm.allCases where allocator != .own { findings.append(await finding(of: allocator)) }
        return findings + [tracing, ControlGroupAbility.finding]
    }

    private func peakReset(_ canReset: Bool) -> Diagnosis {
        Diagnosis(
            "peak reset", canReset, "/proc/PID/clear_refs resets VmHWM: the peak of each phase is exact",
            else: .missing,
            "/proc/PID/clear_refs cannot be written: the peak of a phase is exact only where it is the highest so far",
            remedy: "run on a kernel with CONFIG_PROC_PAGE_MONITOR, outside a sandbox that makes /proc read-only")
    }

    private var exactness: Diagnosis {
        let result = ExactnessProbe.run()
        return Diagnosis(
            "plain readings", result == .exact, "statm agrees with smaps_rollup to the page", else: .limited,
            "statm is \(result.description), and so are samples and anonymous memory",
            remedy: "use Linux 6.16 or later, which is exact")
    }

    private func mappings(_ canRead: Bool) -> Diagnosis {
        Diagnosis(
            "PSS and USS", canRead, "/proc/PID/smaps_rollup can be read", else: .missing,
            "/proc/PID/smaps_rollup cannot be read: proportional and unique sizes are empty",
            remedy: "use Linux 4.14 or later with a complete /proc")
    }

    private func programPages(_ canRead: Bool) -> Diagnosis {
        Diagnosis(
            "program pages", canRead, "/proc/PID/pagemap can be read: peaks are judged net of them", else: .missing,
            "/proc/PID/pagemap cannot be read: growth with program pages and anonymous memory are judged instead (for "
                + "commands, anonymous memory only)",
            remedy: "use a kernel with CONFIG_PROC_PAGE_MONITOR and a complete /proc")
    }

    private var functionNames: Diagnosis {
        let program = Symbolizer(searchPath: variables.searchPath).program
        return Diagnosis(
            "function names", program != nil, "explain uses \(program ?? "")", else: .missing,
            "llvm-symbolizer not found: explain shows offsets instead of function names",
            remedy: "install the package llvm, or add the Swift toolchain to PATH")
    }

    private var hugePages: Diagnosis {
        let mode = TransparentHugePages.mode ?? "unknown"
        return Diagnosis("huge pages", .available, "\(mode) in the system; trials turn them off for themselves")
    }

    private var pageCache: Diagnosis {
        Diagnosis(
            "page cache", canReadPageCache, "the cached part of a file can be read", else: .missing,
            "neither cachestat nor mincore works: the column page_cache_bytes is empty")
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
        return Diagnosis(
            "files to fetch to", !FileSystem.isMemory(type), "TMPDIR is on \(type)", else: .limited,
            "TMPDIR is on \(type), where a file is memory", remedy: "set TMPDIR to a folder on a disk")
    }

    private var build: Diagnosis {
        Diagnosis(
            "build", BuildInformation.configuration == "release", "release, Swift \(BuildInformation.swiftVersion)",
            else: .limited, "debug: CPU figures are meaningless", remedy: "swift build -c release")
    }

    private var trialPrograms: Diagnosis {
        Diagnosis(
            "trial programs", programs.missing.isEmpty, programs.executables.map(\.name).joined(separator: ", "),
            else: .limited, "\(programs.missing.joined(separator: ", ")) not built: their modes cannot be measured",
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

extension MachineCheck {
    var tracing: Diagnosis { Self.finding(of: .probe()) }

    package static func finding(of ability: TracingAbility) -> Diagnosis {
        let name = "peaks of commands"
        guard let refusal = ability.refusal else {
            let shared =
                ability.tellsSharedMemory
                ? "" : "; kcmp is refused, and shared memory is detected when a child starts"
            return Diagnosis(name, .available, "ptrace is allowed: each process is read at its end\(shared)")
        }
        let shared =
            ability.tellsSharedMemory
            ? "" : "; kcmp is refused as well, and shared memory is detected by comparing /proc/PID/status"
        return Diagnosis(
            name, .limited,
            "\(refusal.description)\(cause(of: ability)): processes are polled, and growth after the last reading is "
                + "missed\(shared)",
            remedy: remedy(for: ability))
    }

    private static func cause(of ability: TracingAbility) -> String {
        if let scope = ability.scope, scope > 1 { return " (kernel.yama.ptrace_scope is \(scope))" }
        return ability.isFiltered ? " (a seccomp filter is active)" : ""
    }

    private static func remedy(for ability: TracingAbility) -> String {
        if let scope = ability.scope, scope > 1 {
            return scope == 2
                ? "sysctl kernel.yama.ptrace_scope=1, or the capability CAP_SYS_PTRACE"
                : "set kernel.yama.ptrace_scope=1 and restart: 3 cannot be lowered while running"
        }
        return "allow ptrace; in a container: --cap-add=SYS_PTRACE, or a seccomp profile that allows it"
    }
}

package enum AllocatorCheck {
    /// Starts a trial program on an allocator and returns the one that it reports; `nil` without an answer.
    package static func identity(
        of allocator: AllocatorArm, in program: String, variables: TrialVariables
    ) async -> AllocatorIdentity? {
        try? await ProgramQuery(path: program, variables: variables, allocator: allocator).answer().allocator
    }

    package static func unavailable(
        _ allocators: [AllocatorArm], in programs: TrialPrograms, variables: TrialVariables
    ) async -> [AllocatorArm: String] {
        var reasons: [AllocatorArm: String] = [:]
        for allocator in allocators {
            guard let program = programs.executable(on: allocator) else {
                reasons[allocator] =
                    allocator == .own
                    ? "no trial program brings an allocator of its own"
                    : "every trial program brings an allocator of its own: use --allocator own"
                continue
            }
            // The description of each program names its default allocator.
            let identity =
                [.glibc, .own].contains(allocator)
                ? program.description.allocator : await identity(of: allocator, in: program.path, variables: variables)
            if let identity, allocator.isNamed(identity.name) { continue }
            let found = identity.map { "runs on \($0.name)" } ?? "did not answer"
            let remedy = allocator.preloadedLibrary.map { "; `apt-get install libjemalloc2` installs \($0)" } ?? ""
            reasons[allocator] = "a process asked for \(allocator.rawValue) \(found)\(remedy)"
        }
        return reasons
    }
}
