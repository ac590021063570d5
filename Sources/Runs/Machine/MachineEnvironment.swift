// SPDX-License-Identifier: Apache-2.0

package import MemProbe

/// The environment of a run: the fingerprint that makes runs comparable.
///
/// It holds no path, host name, user name or environment variable of the machine.
package struct MachineEnvironment: Codable, Hashable, Sendable {
    /// The architecture: `x86_64`, `aarch64`.
    package var architecture: String
    /// The processor's model as the kernel names it.
    package var processor: String?
    /// The number of processors online.
    package var processorCount: Int
    package var pageSize: ByteCount
    package var memory: ByteCount?
    package var kernel: String
    /// The C library and its version.
    package var libc: String
    /// The compiler that built fetchbench.
    package var swift: String
    /// `release` or `debug`.
    package var buildConfiguration: String
    /// The system's setting of transparent huge pages; trials disable them for themselves.
    package var transparentHugePages: String?
    /// The exactness of the kernel's plain readings, as probed at the start.
    package var exactness: String
    /// The maximum error of the kernel's high-water mark, for one thread if it depends on threads.
    package var peakErrorBound: ByteCount
    /// True if the high-water mark can be reset.
    package var canResetPeak: Bool
    /// True if PSS and USS can be read.
    package var canReadMappings: Bool
    /// True if program pages can be read; `nil` in runs of versions that did not probe it.
    package var canReadProgramPages: Bool?
    /// The type of the file system that trials fetch to.
    package var temporaryFileSystem: String
    /// The type of the file system on which files had to end; `nil` if it was that of temporary files.
    package var destinationFileSystem: String?
    /// The allocators as identified by trials, by ``AllocatorArm``.
    package var allocators: [String: AllocatorIdentity]
    /// The short commit of the repository in which fetchbench was started, or `nil`.
    package var commit: String?
    /// True if that repository had uncommitted changes.
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
        case destinationFileSystem = "destination_file_system"
        case hasUncommittedChanges = "uncommitted_changes"
    }

    /// Returns the environment with the repository's revision and a label.
    package func stamped(_ revision: SourceRevision?, label: String? = nil) -> MachineEnvironment {
        var environment = self
        environment.commit = revision?.commit
        environment.hasUncommittedChanges = revision?.hasUncommittedChanges
        environment.label = label
        return environment
    }
}

extension MachineEnvironment {
    /// The maximum error of the kernel's high-water mark, as text.
    package var peakErrorWords: String {
        let countsInThreads = KernelVersion(release: kernel).map { $0 < .countsByCPU } ?? false
        return "\(peakErrorBound.rawValue / 1024) KiB" + (countsInThreads ? " for each of its threads" : "")
    }
}
