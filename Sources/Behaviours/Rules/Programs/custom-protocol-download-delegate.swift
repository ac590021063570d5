final class Delegate: NSObject, URLSessionDownloadDelegate, @unchecked Sendable {
    let end = DispatchSemaphore(value: 0)
    var count = 0
    func urlSession(_ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo file: URL) {
        count = (try? Data(contentsOf: file))?.count ?? 0
    }
    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        end.signal()
    }
}

let delegate = Delegate()
let configuration = URLSessionConfiguration.ephemeral
configuration.protocolClasses = [Served.self] + (configuration.protocolClasses ?? [])
let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
for path in ["/bytes/1KiB", "/bytes/2KiB"] {
    session.downloadTask(with: URL(string: CommandLine.arguments[1] + path)!).resume()
    _ = delegate.end.wait(timeout: .now() + 5)
}
print("expected: a file with the protocol's 7 bytes; got: \(delegate.count) bytes")
exit(delegate.count == 7 ? 0 : 1)
