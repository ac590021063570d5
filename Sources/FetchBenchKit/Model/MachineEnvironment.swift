// SPDX-License-Identifier: Apache-2.0

public import MemProbe

/// What a run was measured on: the fingerprint that makes runs comparable.
///
/// No path, host name, user name or environment variable of the machine is in it.
public struct MachineEnvironment: Codable, Hashable, Sendable {
    /// The processor's architecture: `x86_64`, `aarch64`.
    public var architecture: String
    /// The processor's model as the kernel names it.
    public var processor: String?
    /// The number of processors online.
    public var processorCount: Int
    /// The size of a page.
    public var pageSize: ByteCount
    /// The memory of the machine.
    public var memory: ByteCount?
    /// The kernel's release.
    public var kernel: String
    /// The C library and its version.
    public var libc: String
    /// The compiler that built fetchbench.
    public var swift: String
    /// `release` or `debug`.
    public var buildConfiguration: String
    /// The system's setting of transparent huge pages; trials turn them off for themselves.
    public var transparentHugePages: String?
    /// Whether the kernel's plain readings are exact, as probed at the start.
    public var exactness: String
    /// How far the kernel's high-water mark may be below the truth.
    public var peakErrorBound: ByteCount
    /// Whether the high-water mark can be reset.
    public var canResetPeak: Bool
    /// Whether the mappings' own account (PSS, USS) can be read.
    public var canReadMappings: Bool
    /// Whether program pages can be read; `nil` in runs of versions that did not look.
    public var canReadProgramPages: Bool?
    /// The type of the file system that trials fetch to.
    public var temporaryFileSystem: String
    /// The allocators as the trials proved them, by arm.
    public var allocators: [String: AllocatorIdentity]
    /// The short commit of the repository in which fetchbench was started, or `nil`.
    public var commit: String?
    /// Whether that repository had changes that were not committed.
    public var hasUncommittedChanges: Bool?
    /// The name that `--label` gives the machine.
    public var label: String?

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
}
