final class Delegate: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    let end = DispatchSemaphore(value: 0)
    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        end.signal()
    }
}

let delegate = Delegate()
let url = URL(string: CommandLine.arguments[1] + "/bytes/1KiB")!
let task = URLSession(configuration: .ephemeral).dataTask(with: url)
task.delegate = delegate
task.resume()
let isTold = delegate.end.wait(timeout: .now() + 3) == .success
print("expected: the task's delegate is told its end; got: \(isTold ? "told" : "not told in 3 s")")
exit(isTold ? 0 : 1)
