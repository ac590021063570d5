import Foundation
import FoundationNetworking
import Glibc

/// The processor time of this process (RUSAGE_SELF), in seconds.
func processorTime() -> Double {
    var usage = rusage()
    getrusage(0, &usage)
    let (user, system) = (usage.ru_utime, usage.ru_stime)
    return Double(user.tv_sec + system.tv_sec) + Double(user.tv_usec + system.tv_usec) / 1e6
}

let group = DispatchGroup()
let session = URLSession(configuration: .ephemeral)
// Nothing is there to be done while the answer does not come.
var request = URLRequest(url: URL(string: CommandLine.arguments[1] + "/bytes/1KiB?delay=2000")!)
request.httpMethod = "GET"
let before = processorTime()
for _ in 0..<1 {
    group.enter()
    session.dataTask(with: request) { _, _, _ in group.leave() }.resume()
}
group.wait()
let used = processorTime() - before
print("expected: less than 0.4 s of processor for 2 s of waiting; got: \(used) s")
exit(used < 0.4 ? 0 : 1)
