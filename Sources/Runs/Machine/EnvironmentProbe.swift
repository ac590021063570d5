// SPDX-License-Identifier: Apache-2.0

import Glibc
import MemProbe
import TrialKit

/// The detection of the machine on which a run is measured.
package enum EnvironmentProbe {
    /// Returns the current state of the machine.
    /// - Parameter temporaryDirectory: The directory where trials create files.
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
            temporaryFileSystem: FileSystem.type(of: temporaryDirectory), allocators: [:], commit: commit,
            hasUncommittedChanges: hasUncommittedChanges, label: label)
    }

    /// The readings that the kernel allows this process to make of itself.
    package struct Abilities: Hashable, Sendable {
        /// True if the high-water mark can be reset.
        package var canResetPeak = false
        /// True if PSS and USS can be read.
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

    /// The machine's memory, or `nil` if unknown.
    static func memory() -> ByteCount? {
        let pages = sysconf(Int32(_SC_PHYS_PAGES))
        return pages > 0 ? ByteCount(pages * Int(getpagesize())) : nil
    }

    private static func processorModel() -> String? {
        guard let text = TextFile.contents(of: "/proc/cpuinfo") else { return nil }
        let line = text.split(separator: "\n").first { $0.hasPrefix("model name") }
        return line?.split(separator: ":", maxSplits: 1).last.map { String($0.drop(while: \.isWhitespace)) }
    }

    private static func text<T>(of field: T) -> String {
        withUnsafeBytes(of: field) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}
