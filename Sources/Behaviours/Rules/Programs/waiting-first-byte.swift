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
print("expected: less than 0.1 s of processor for 2 s of waiting; got: \(used) s")
exit(used < 0.1 ? 0 : 1)
