// SPDX-License-Identifier: Apache-2.0

package import Runs

/// The control groups of trials: whether this process can make them, and what would let it.
package enum ControlGroupAbility {
    package static func session() throws -> ControlGroupSession {
        do throws(ControlGroupObstacle) {
            return try ControlGroupSession(in: ControlGroupPlace.here.get())
        } catch {
            throw failure(error)
        }
    }

    static func failure(_ obstacle: ControlGroupObstacle) -> FetchBenchError {
        FetchBenchError(
            "trials cannot run in control groups of their own: \(obstacle)",
            remedy: "To allow it: " + remedy(for: obstacle))
    }

    static var finding: Diagnosis {
        do throws(ControlGroupObstacle) {
            let place = try ControlGroupPlace.here.get()
            _ = try ControlGroupSession(in: place)
            return finding(of: nil, in: place)
        } catch {
            return finding(of: error, in: nil)
        }
    }

    package static func finding(of obstacle: ControlGroupObstacle?, in place: ControlGroupPlace?) -> Diagnosis {
        let name = "charge of containers"
        guard let obstacle else {
            let version = place.map { "version \($0.version.rawValue)" } ?? "unknown version"
            return Diagnosis(
                name, .available,
                "each trial gets a control group of its own (\(version)): its charge and its limit are the kernel's")
        }
        return Diagnosis(
            name, .limited,
            "\(obstacle): what a container would be charged is not measured, and survive and --container-limit are not "
                + "available",
            remedy: remedy(for: obstacle))
    }

    package static func remedy(for obstacle: ControlGroupObstacle) -> String {
        switch obstacle {
        case .noController: "use a kernel with CONFIG_MEMCG, without cgroup_disable=memory"
        case .notMounted, .hidden:
            "mount the hierarchy (mount -t cgroup2 cgroup2 /sys/fs/cgroup); in a container, see docs/containers.md"
        case .readOnly:
            "docker run --privileged --cgroupns=private, podman run --security-opt unmask=/sys/fs/cgroup "
                + "--cgroups=split -v /sys/fs/cgroup:/sys/fs/cgroup:rw, or run fetchbench outside of the container"
        case .otherOwner:
            "systemd-run --user --scope -p Delegate=yes fetchbench …, or run it as root (GitHub's runners: sudo)"
        case .notDelegated: "systemd-run --user --scope -p Delegate=yes fetchbench …"
        case .occupied: "start it in a group of its own: systemd-run --user --scope -p Delegate=yes fetchbench …"
        case .refused: "see the kernel's reason"
        }
    }
}
