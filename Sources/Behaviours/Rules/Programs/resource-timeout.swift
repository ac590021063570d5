let end = DispatchSemaphore(value: 0)
let configuration = URLSessionConfiguration.ephemeral
configuration.timeoutIntervalForResource = 2
// The body takes 16 s.
let url = URL(string: CommandLine.arguments[1] + "/bytes/1MiB?rate=64KiB")!
URLSession(configuration: configuration).dataTask(with: url) { _, _, _ in end.signal() }.resume()
let hasEnded = end.wait(timeout: .now() + 5) == .success
print("expected: an error after 2 s; got: \(hasEnded ? "an end" : "still receiving") after 5 s")
exit(hasEnded ? 0 : 1)
