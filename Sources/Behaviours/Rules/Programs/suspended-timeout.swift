let end = DispatchSemaphore(value: 0)
let configuration = URLSessionConfiguration.ephemeral
configuration.timeoutIntervalForRequest = 2
let url = URL(string: CommandLine.arguments[1] + "/bytes/1KiB?delay=1000")!
let task = URLSession(configuration: configuration).dataTask(with: url) { _, _, _ in end.signal() }
task.resume()
Thread.sleep(forTimeInterval: 0.5)
task.suspend()
let hasEnded = end.wait(timeout: .now() + 3) == .success
print("expected: a suspended task waits for 3 s; got: \(hasEnded ? "its end" : "no end")")
exit(hasEnded ? 1 : 0)
