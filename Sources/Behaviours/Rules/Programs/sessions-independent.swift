/// A queue that lets its producer wait, so that a slow consumer slows the sender.
final class WaitingQueue: OperationQueue, @unchecked Sendable {
    let room = DispatchSemaphore(value: 4)
    override func addOperation(_ block: @escaping @Sendable () -> Void) {
        room.wait()
        super.addOperation { [room] in
            block()
            room.signal()
        }
    }
}
final class Slow: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    let first = DispatchSemaphore(value: 0)
    var isFirst = true
    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        guard isFirst else { return }
        isFirst = false
        first.signal()
        Thread.sleep(forTimeInterval: 4)
    }
}

let (delegate, queue, end) = (Slow(), WaitingQueue(), DispatchSemaphore(value: 0))
queue.maxConcurrentOperationCount = 1
let slow = URLSession(configuration: .ephemeral, delegate: delegate, delegateQueue: queue)
slow.dataTask(with: URL(string: CommandLine.arguments[1] + "/bytes/64MiB")!).resume()
delegate.first.wait()
Thread.sleep(forTimeInterval: 1)
let start = Date()
let url = URL(string: CommandLine.arguments[1] + "/bytes/1KiB")!
URLSession(configuration: .ephemeral).dataTask(with: url) { _, _, _ in end.signal() }.resume()
end.wait()
let seconds = (Date().timeIntervalSince(start) * 10).rounded() / 10
print("expected: another session's request takes less than 1 s; got: \(seconds) s")
exit(seconds < 1 ? 0 : 1)
