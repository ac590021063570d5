// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The environment of a run: the fingerprint that makes runs comparable.
///
/// It holds no path, host name or user name of the machine, and only variables of allocators and of the loader.
package struct MachineEnvironment: Codable, Hashable, Sendable {
    /// The architecture: `x86_64`, `aarch64`.
    package var architecture: String
    package var processor: String?
    package var processorCount: Int
    package var pageSize: ByteCount
    package var memory: ByteCount?
    package var kernel: String
    package var libc: String
    package var swift: String
    /// `release` or `debug`.
    package var buildConfiguration: String
    /// The system's setting of transparent huge pages; trials disable them for themselves.
    package var transparentHugePages: String?
    /// The exactness of the kernel's plain readings, as probed at the start.
    package var exactness: String
    /// The same without the error, whose value differs from one look to the next where the kernel batches.
    package var exactnessKind: String { Self.kind(ofExactness: exactness) }
    /// The maximum error of the kernel's high-water mark, for one thread if it depends on threads.
    package var peakErrorBound: ByteCount
    package var canResetPeak: Bool
    package var canReadMappings: Bool
    /// True if program pages can be read; `nil` in runs of versions that did not probe it.
    package var canReadProgramPages: Bool?
    package var temporaryFileSystem: String
    package var destinationFileSystem: String?
    /// The type of a file system in memory to which trials fetched; `nil` if all their files were on disks.
    package var fileSystemInMemory: String? {
        [temporaryFileSystem, destinationFileSystem].compactMap(\.self).first { FileSystem.isMemory($0) }
    }
    /// The limits and settings that programs see, by name; `nil` in runs of versions that did not note it.
    package var conditions: [String: String]?
    package var allocators: [String: AllocatorIdentity]
    /// The short commit of the repository in which fetchbench was started, or `nil`.
    package var commit: String?
    package var hasUncommittedChanges: Bool?
    package var label: String?

    package static func kind(ofExactness text: String) -> String { text.hasPrefix("off") ? "inexact" : text }

    private enum CodingKeys: String, CodingKey {
        case architecture, processor, memory, kernel, libc, swift, exactness, conditions, allocators, commit, label
        case processorCount = "processors"
        case pageSize = "page_size_bytes"
        case buildConfiguration = "build_configuration"
        case transparentHugePages = "transparent_huge_pages"
        case peakErrorBound = "peak_error_bound_bytes"
        case canResetPeak = "can_reset_peak"
        case canReadMappings = "can_read_mappings"
        case canReadProgramPages = "can_read_program_pages"
        case temporaryFileSystem = "temporary_file_system"
        case destinationFileSystem = "destination_file_system"
        case hasUncommittedChanges = "uncommitted_changes"
    }

    package func stamped(_ revision: SourceRevision?, label: String? = nil) -> MachineEnvironment {
        var environment = self
        environment.commit = revision?.commit
        environment.hasUncommittedChanges = revision?.hasUncommittedChanges
        environment.label = label
        return environment
    }
}

extension MachineEnvironment {
    package var peakErrorWords: String {
        let countsInThreads = KernelVersion(release: kernel).map { $0 < .countsByCPU } ?? false
        return "\(peakErrorBound.rawValue / 1024) KiB" + (countsInThreads ? " for each of its threads" : "")
    }
}

/// The detection of the machine on which a run is measured.
package enum EnvironmentProbe {
    package static func environment(
        temporaryDirectory: String, commit: String?, hasUncommittedChanges: Bool?, label: String?
    ) -> MachineEnvironment {
        var name = utsname()
        uname(&name)
        let abilities = abilities()
        return MachineEnvironment(
            architecture: text(of: name.machine), processor: processorModel(),
            processorCount: sysconf(Int32(_SC_NPROCESSORS_ONLN)), pageSize: ByteCount(Int(getpagesize())),
            memory: memory(), kernel: text(of: name.release), libc: libc(),
            swift: BuildInformation.swiftVersion, buildConfiguration: BuildInformation.configuration,
            transparentHugePages: TransparentHugePages.mode, exactness: ExactnessProbe.run().description,
            peakErrorBound: PeakErrorBound.current, canResetPeak: abilities.canResetPeak,
            canReadMappings: abilities.canReadMappings, canReadProgramPages: abilities.canReadProgramPages,
            temporaryFileSystem: FileSystem.type(of: temporaryDirectory), conditions: conditions(), allocators: [:],
            commit: commit,
            hasUncommittedChanges: hasUncommittedChanges, label: label)
    }

    /// The readings that the kernel allows this process to make of itself.
    package struct Abilities: Hashable, Sendable {
        package var canResetPeak = false
        package var canReadMappings = false
        package var canReadProgramPages = false
    }

    package static func abilities() -> Abilities {
        var abilities = Abilities()
        guard var probe = try? ProcessProbe(.current) else { return abilities }
        abilities.canResetPeak = (try? probe.resetPeak()) ?? false
        if let snapshot = try? probe.snapshot() {
            abilities.canReadMappings = snapshot.proportional != nil
            abilities.canReadProgramPages = snapshot.programPages != nil
        }
        return abilities
    }

    /// The name and version of the C library: `glibc 2.36`.
    private static func libc() -> String {
        var buffer = [CChar](repeating: 0, count: 64)
        let count = confstr(Int32(_CS_GNU_LIBC_VERSION), &buffer, buffer.count)
        return count > 0
            ? String(decoding: buffer.prefix(count - 1).map(UInt8.init(bitPattern:)), as: UTF8.self) : "unknown"
    }

    package static func memory() -> ByteCount? {
        let pages = sysconf(Int32(_SC_PHYS_PAGES))
        return pages > 0 ? ByteCount(pages * Int(getpagesize())) : nil
    }

    package static var swap: ByteCount {
        MachineLimits.size("SwapTotal", in: String(kernelFile: "/proc/meminfo") ?? "")
            .map { ByteCount(procKilobytes: $0) } ?? .zero
    }

    private static func processorModel() -> String? {
        guard let text = String(kernelFile: "/proc/cpuinfo") else { return nil }
        let line = text.split(separator: "\n").first { $0.hasPrefix("model name") }
        return line?.split(separator: ":", maxSplits: 1).last.map { String($0.drop(while: \.isWhitespace)) }
    }

    private static func text<T>(of field: T) -> String {
        withUnsafeBytes(of: field) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}

package enum FileSystem {
    /// The kernel's type name of the file system of a path: `ext4`, `tmpfs`, `overlay`; `unknown` if not found.
    ///
    /// The source is `/proc/self/mountinfo`: the longest mount point that is a prefix of the real path.
    package static func type(of path: String) -> String {
        guard let real = realpath(path, nil) else { return "unknown" }
        defer { free(real) }
        guard let mounts = String(kernelFile: "/proc/self/mountinfo") else { return "unknown" }
        return type(of: String(cString: real), inMountInfo: mounts) ?? "unknown"
    }

    /// The type of the last mount at the longest mount point above a real path, or `nil` without a match.
    package static func type(of path: String, inMountInfo text: String) -> String? {
        var best: (length: Int, type: String)?
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count > 6, let dash = words.firstIndex(of: "-"), dash + 1 < words.count else { continue }
            let point = String(words[4])
            guard point == "/" || path == point || path.hasPrefix(point + "/"), point.count >= best?.length ?? 0 else {
                continue
            }
            best = (point.count, String(words[dash + 1]))
        }
        return best?.type
    }

    /// True for file systems in memory, to which fetching "to a file" saves no memory.
    package static func isMemory(_ type: String) -> Bool {
        type == "tmpfs" || type == "ramfs"
    }

    package static func available(at path: String) -> ByteCount? {
        var information = statvfs()
        guard statvfs(path, &information) == 0 else { return nil }
        return ByteCount(Int(information.f_bavail) * Int(information.f_frsize))
    }
}

extension String {
    init?(kernelFile path: String) {
        guard let file = fopen(path, "re") else { return nil }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = fread(&buffer, 1, buffer.count, file)
            guard count > 0 else { break }
            bytes += buffer[..<count]
        }
        self.init(decoding: bytes, as: UTF8.self)
    }
}

/// The memory at which a trial is killed: an endless body would otherwise exhaust the machine.
package enum TrialMemoryLimit {
    /// Half of the machine's memory or of the control group's limit, whichever is less; `nil` if both are unknown.
    package static var standard: ByteCount? {
        let group = try? ControlGroupPlace.here.get()
        return half(of: [EnvironmentProbe.memory(), group?.limit].compactMap(\.self))
    }

    /// Returns half of the smallest size, in whole pages of 4 KiB so that it has a short text.
    package static func half(of sizes: [ByteCount]) -> ByteCount? {
        sizes.min().map { ByteCount($0.rawValue / 2 / 4096 * 4096) }
    }

    package static func complaint(_ reached: ByteCount, over limit: ByteCount?) -> String {
        let allowed = limit.map { " of \(ByteText.mebibytes($0))" } ?? ""
        return "killed when it held \(ByteText.mebibytes(reached)) without program pages, more than the memory "
            + "limit\(allowed); if it needs that much, raise --memory-limit"
    }
}

extension MachineLimits {
    /// Creates the limits of the machine of a stored run.
    ///
    /// Its memory and swap space at that time are unknown.
    package init(of environment: MachineEnvironment) {
        self = .any
        errorBound = min(max(.zero, environment.peakErrorBound), Limits.memory)
    }

    package static let current = MachineLimits(
        memory: memory(in: String(kernelFile: "/proc/meminfo") ?? "") ?? Limits.memory,
        processors: max(1, sysconf(CInt(_SC_NPROCESSORS_CONF))), errorBound: PeakErrorBound.current)

    fileprivate static func size(_ name: String, in text: String) -> Int? {
        let line = text.split(separator: "\n").first { $0.hasPrefix(name + ":") }
        return line?.split(separator: " ").dropFirst().first.flatMap { Int($0) }
    }

    /// Returns the sum of memory and swap space in `/proc/meminfo`, or `nil` without a total of memory.
    private static func memory(in text: String) -> ByteCount? {
        guard let memory = size("MemTotal", in: text), (1...Limits.memory.rawValue / 1024).contains(memory) else {
            return nil
        }
        let swap = min(max(0, size("SwapTotal", in: text) ?? 0), Limits.memory.rawValue / 1024)
        return min(ByteCount(procKilobytes: memory + swap), Limits.memory)
    }
}
