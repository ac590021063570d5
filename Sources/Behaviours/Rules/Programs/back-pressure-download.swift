final class Slow: NSObject, URLSessionDownloadDelegate, @unchecked Sendable {
    let first = DispatchSemaphore(value: 0)
    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
    ) {
        first.signal()
        Thread.sleep(forTimeInterval: 60)
    }
    func urlSession(_: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL) {}
}

let delegate = Slow()
let session = URLSession(configuration: .ephemeral, delegate: delegate, delegateQueue: nil)
let before = peak()
session.downloadTask(with: URL(string: CommandLine.arguments[1] + "/bytes/64MiB")!).resume()
delegate.first.wait()
Thread.sleep(forTimeInterval: 3)
let growth = (peak() - before) >> 10
print("expected: at most 24 MiB more while a progress call takes long; got: \(growth) MiB")
exit(growth <= 24 ? 0 : 1)
