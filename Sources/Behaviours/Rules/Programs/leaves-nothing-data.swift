import Foundation
import FoundationNetworking
import Glibc

let end = DispatchSemaphore(value: 0)
let url = URL(string: CommandLine.arguments[1] + "/bytes/1KiB")!
let session = URLSession(configuration: .ephemeral)
func fetch(_ count: Int) {
    for _ in 0..<count {
        session.dataTask(with: url) { _, _, _ in end.signal() }.resume()
        end.wait()
    }
}
/// The highest resident memory until now, in bytes.
func peak() -> Int {
    let status = try! String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }!
    return Int(line.split(whereSeparator: \.isWhitespace)[1])! << 10
}

fetch(500)
let before = peak()
fetch(3000)
let perRequest = (peak() - before) / 3000
print("expected: the peak grows by less than 64 bytes a request; got: \(perRequest) bytes")
exit(perRequest < 64 ? 0 : 1)
