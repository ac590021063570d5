final class Delegate: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    let (end, metrics) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        end.signal()
    }
    func urlSession(
        _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics
    ) {
        self.metrics.signal()
    }
}

let delegate = Delegate()
let url = URL(string: CommandLine.arguments[1] + "/bytes/1KiB")!
URLSession(configuration: .ephemeral, delegate: delegate, delegateQueue: nil).dataTask(with: url).resume()
delegate.end.wait()
let isTold = delegate.metrics.wait(timeout: .now() + 2) == .success
print("expected: the metrics of a task that has ended; got: \(isTold ? "metrics" : "none in 2 s")")
exit(isTold ? 0 : 1)
