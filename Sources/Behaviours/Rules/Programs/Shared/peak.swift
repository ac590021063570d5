import Glibc

/// The highest resident memory until now, in KiB.
func peak() -> Int {
    guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
        let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") }),
        let kibibytes = Int(line.split(whereSeparator: \.isWhitespace)[1])
    else { exit(2) }
    return kibibytes
}
