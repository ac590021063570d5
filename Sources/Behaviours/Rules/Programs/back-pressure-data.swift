import Foundation
import FoundationNetworking
import Glibc

/// The highest resident memory until now, in MiB.
func peak() -> Int {
    let status = try! String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }!
    return Int(line.split(whereSeparator: \.isWhitespace)[1])! >> 10
}
final class Slow: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    let first = DispatchSemaphore(value: 0)
    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        first.signal()
        // Does not return: nothing more should be read from the connection.
        Thread.sleep(forTimeInterval: 60)
    }
}

let delegate = Slow()
let session = URLSession(configuration: .ephemeral, delegate: delegate, delegateQueue: nil)
let before = peak()
session.dataTask(with: URL(string: CommandLine.arguments[1] + "/bytes/64MiB")!).resume()
delegate.first.wait()
Thread.sleep(forTimeInterval: 3)
let growth = peak() - before
print("expected: at most 24 MiB more while the delegate has one chunk of 64 MiB; got: \(growth) MiB")
exit(growth <= 24 ? 0 : 1)
