let end = DispatchSemaphore(value: 0)
var status = 0
let configuration = URLSessionConfiguration.ephemeral
configuration.timeoutIntervalForRequest = 2
let url = URL(string: CommandLine.arguments[1] + "/faults/status/401")!
URLSession(configuration: configuration).dataTask(with: url) { _, response, _ in
    status = (response as? HTTPURLResponse)?.statusCode ?? 0
    end.signal()
}.resume()
let isCalled = end.wait(timeout: .now() + 5) == .success
print("expected: the handler is called with status 401; got: \(isCalled ? "status \(status)" : "no call in 5 s")")
exit(isCalled && status == 401 ? 0 : 1)
