final class Body: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    let end = DispatchSemaphore(value: 0)
    var bytes = 0
    var isSuspended = false
    var error: (any Error)?
    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        bytes += data.count
        guard bytes >= 4 << 20, !isSuspended else { return }
        isSuspended = true
        dataTask.suspend()
        DispatchQueue.global().asyncAfter(deadline: .now() + 0.5) { dataTask.resume() }
    }
    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        self.error = error
        end.signal()
    }
}

let body = Body()
let session = URLSession(configuration: .ephemeral, delegate: body, delegateQueue: nil)
session.dataTask(with: URL(string: CommandLine.arguments[1] + "/bytes/16MiB?rate=8MiB")!).resume()
body.end.wait()
let error = body.error.map { "\(($0 as NSError).code)" } ?? "none"
print("expected: 16777216 bytes, error none; got: \(body.bytes) bytes, error \(error)")
exit(body.bytes == 16_777_216 && body.error == nil ? 0 : 1)
