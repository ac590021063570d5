let group = DispatchGroup()
let lock = NSLock()
var failures = 0
let configuration = URLSessionConfiguration.ephemeral
configuration.httpMaximumConnectionsPerHost = 5
configuration.timeoutIntervalForRequest = 4
let session = URLSession(configuration: configuration)
// Each answer takes 2.5 s; the second five have a connection after 2.5 s, and their answers after 5 s.
let url = URL(string: CommandLine.arguments[1] + "/bytes/16KiB?delay=2500")!
for _ in 0..<10 {
    group.enter()
    session.dataTask(with: url) { _, _, error in
        lock.withLock { if error != nil { failures += 1 } }
        group.leave()
    }.resume()
}
group.wait()
print("expected: 10 tasks of 10 succeed; got: \(failures) failed")
exit(failures == 0 ? 0 : 1)
