// SPDX-License-Identifier: Apache-2.0

package import MemProbe

/// What a run was measured on: the fingerprint that makes runs comparable.
///
/// No path, host name, user name or environment variable of the machine is in it.
package struct MachineEnvironment: Codable, Hashable, Sendable {
    /// The processor's architecture: `x86_64`, `aarch64`.
    package var architecture: String
    /// The processor's model as the kernel names it.
    package var processor: String?
    /// The number of processors online.
    package var processorCount: Int
    /// The size of a page.
    package var pageSize: ByteCount
    /// The memory of the machine.
    package var memory: ByteCount?
    /// The kernel's release.
    package var kernel: String
    /// The C library and its version.
    package var libc: String
    /// The compiler that built fetchbench.
    package var swift: String
    /// `release` or `debug`.
    package var buildConfiguration: String
    /// The system's setting of transparent huge pages; trials turn them off for themselves.
    package var transparentHugePages: String?
    /// Whether the kernel's plain readings are exact, as probed at the start.
    package var exactness: String
    /// How far the kernel's high-water mark may be below the truth: of a process with one thread, where that matters.
    package var peakErrorBound: ByteCount
    /// Whether the high-water mark can be reset.
    package var canResetPeak: Bool
    /// Whether the mappings' own account (PSS, USS) can be read.
    package var canReadMappings: Bool
    /// Whether program pages can be read; `nil` in runs of versions that did not look.
    package var canReadProgramPages: Bool?
    /// The type of the file system that trials fetch to.
    package var temporaryFileSystem: String
    /// The allocators as the trials proved them, by arm.
    package var allocators: [String: AllocatorIdentity]
    /// The short commit of the repository in which fetchbench was started, or `nil`.
    package var commit: String?
    /// Whether that repository had changes that were not committed.
    package var hasUncommittedChanges: Bool?
    /// The name that `--label` gives the machine.
    package var label: String?

    private enum CodingKeys: String, CodingKey {
        case architecture, processor, memory, kernel, libc, swift, exactness, allocators, commit, label
        case processorCount = "processors"
        case pageSize = "page_size_bytes"
        case buildConfiguration = "build_configuration"
        case transparentHugePages = "transparent_huge_pages"
        case peakErrorBound = "peak_error_bound_bytes"
        case canResetPeak = "can_reset_peak"
        case canReadMappings = "can_read_mappings"
        case canReadProgramPages = "can_read_program_pages"
        case temporaryFileSystem = "temporary_file_system"
        case hasUncommittedChanges = "uncommitted_changes"
    }

    /// The same with what only the user and the repository know of it.
    package func stamped(_ revision: SourceRevision?, label: String? = nil) -> MachineEnvironment {
        var environment = self
        environment.commit = revision?.commit
        environment.hasUncommittedChanges = revision?.hasUncommittedChanges
        environment.label = label
        return environment
    }
}

extension MachineEnvironment {
    /// How far the kernel's high-water mark may be below the truth, in words.
    package var peakErrorWords: String {
        let countsInThreads = KernelVersion(release: kernel).map { $0 < .countsByCPU } ?? false
        return "\(peakErrorBound.rawValue / 1024) KiB" + (countsInThreads ? " for each of its threads" : "")
    }
}
