final class Slow: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    let first = DispatchSemaphore(value: 0)
    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        first.signal()
        // Does not return: nothing more should be read from the connection.
        Thread.sleep(forTimeInterval: 60)
    }
}

let delegate = Slow()
let session = URLSession(configuration: .ephemeral, delegate: delegate, delegateQueue: nil)
let before = peak()
session.dataTask(with: URL(string: CommandLine.arguments[1] + "/bytes/64MiB")!).resume()
delegate.first.wait()
Thread.sleep(forTimeInterval: 3)
let growth = (peak() - before) >> 10
print("expected: at most 24 MiB more while the delegate has one chunk of 64 MiB; got: \(growth) MiB")
exit(growth <= 24 ? 0 : 1)
