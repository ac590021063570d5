// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The limits and settings that programs see, each of which can change how much memory they take.
extension EnvironmentProbe {
    static func conditions() -> [String: String] {
        let quota = ControlGroupPlace.processorQuota(contents: String.init(kernelFile:))
        var conditions: [String: String] = [
            "allowed processors": allowedProcessors.map(String.init) ?? "unknown",
            "processor quota": quota.map { "\($0)" } ?? "none",
            "memory limit of the control group": groupLimit.map { ByteText.mebibytes($0) } ?? "none",
            "swap space": ByteText.mebibytes(swap),
            "overcommitment of memory": String(kernelFile: "/proc/sys/vm/overcommit_memory").map {
                String($0.prefix { !$0.isWhitespace })
            } ?? "unknown",
        ]
        for (name, resource) in resources { conditions[name] = limit(of: resource) }
        return conditions
    }

    private static let resources = [
        ("limit of address space (ulimit -v)", RLIMIT_AS), ("limit of data (ulimit -d)", RLIMIT_DATA),
        ("limit of stacks (ulimit -s)", RLIMIT_STACK), ("limit of open files (ulimit -n)", RLIMIT_NOFILE),
    ]

    private static func limit(of resource: __rlimit_resource) -> String {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(resource.rawValue), &limit) == 0 else { return "unknown" }
        return limit.rlim_cur == rlim_t.max ? "unlimited" : "\(limit.rlim_cur)"
    }

    /// The number of processors that `taskset` or a container allows, by the kernel's mask in hexadecimal.
    private static var allowedProcessors: Int? {
        let line = String(kernelFile: "/proc/self/status")?.split(separator: "\n").first {
            $0.hasPrefix("Cpus_allowed:")
        }
        return line?.dropFirst("Cpus_allowed:".count).compactMap(\.hexDigitValue).map(\.nonzeroBitCount).reduce(0, +)
    }

    /// Without a limit, version 1 has one above any memory.
    private static var groupLimit: ByteCount? {
        (try? ControlGroupPlace.here.get())?.limit.flatMap { $0 < memory() ?? Limits.memory ? $0 : nil }
    }
}

extension MachineEnvironment {
    /// The name of the condition that lists the variables of ``proxyVariables`` that are set.
    package static let proxies = "proxies"

    /// The variables that name proxies, and the hosts without one; programs read them in either spelling.
    package static let proxyVariables = ["http_proxy", "https_proxy", "all_proxy", "no_proxy"].flatMap {
        [$0, $0.uppercased()]
    }

    /// The names of those that are set, without their values, which may hold a password; empty for none.
    package static func proxies(in variables: [String: String]) -> String {
        proxyVariables.filter { variables[$0]?.isEmpty == false }.joined(separator: " ")
    }

    /// Returns the environment with the variables that change how programs allocate, or which allocator they have.
    /// - Parameter reachesOut: True if programs may ask others than the embedded origin, by way of a proxy.
    package func seeing(_ variables: [String: String], reachesOut: Bool = false) -> MachineEnvironment {
        var environment = self
        let proxies = Self.proxies(in: variables)
        if reachesOut, !proxies.isEmpty { environment.conditions?[Self.proxies] = proxies }
        for (name, value) in variables where name.hasPrefix("MALLOC_") || name == "GLIBC_TUNABLES" {
            environment.conditions?[name] = value
        }
        // The files without their folders, which may be the user's.
        let libraries = (variables["LD_PRELOAD"] ?? "").split { $0 == " " || $0 == ":" }
        let names = libraries.map { PathText.name(of: String($0)) }.joined(separator: " ")
        if !names.isEmpty { environment.conditions?["LD_PRELOAD"] = names }
        return environment
    }
}
