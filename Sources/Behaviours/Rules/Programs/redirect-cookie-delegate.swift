final class Delegate: NSObject, URLSessionTaskDelegate, @unchecked Sendable {
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(request)
    }
}

let end = DispatchSemaphore(value: 0)
let url = URL(string: CommandLine.arguments[1] + "/redirect/302?to=/bytes/1KiB&cookie=moved")!
let session = URLSession(configuration: .ephemeral, delegate: Delegate(), delegateQueue: nil)
let task = session.dataTask(with: url) { _, _, _ in end.signal() }
task.resume()
end.wait()
let cookie = task.currentRequest?.value(forHTTPHeaderField: "Cookie")
print("expected: the redirected request has the cookie of the 302; got: \(cookie ?? "no cookie")")
exit(cookie == nil ? 1 : 0)
