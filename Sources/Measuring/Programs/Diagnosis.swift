// SPDX-License-Identifier: Apache-2.0

package import MemProbe

/// One thing that was checked: of the machine by `doctor`, of a trial program by `try`.
package struct Diagnosis: Codable, Hashable, Sendable {
    package enum State: String, Codable, Hashable, Sendable {
        case available = "ok"
        /// It works, with less precise figures.
        case limited
        case missing
        /// It breaks a rule.
        case failed
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
