final class Refusing: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    let end = DispatchSemaphore(value: 0)
    var bytes = 0
    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    ) {
        completionHandler(.cancel)
    }
    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        bytes += data.count
    }
    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        end.signal()
    }
}

let delegate = Refusing()
let session = URLSession(configuration: .ephemeral, delegate: delegate, delegateQueue: nil)
session.dataTask(with: URL(string: CommandLine.arguments[1] + "/bytes/4MiB?rate=4MiB")!).resume()
delegate.end.wait()
print("expected: no byte of 4194304 after .cancel; got: \(delegate.bytes) bytes")
exit(delegate.bytes == 0 ? 0 : 1)
