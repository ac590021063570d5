final class Delegate: NSObject, URLSessionTaskDelegate, @unchecked Sendable {
    var isAsked = false
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        isAsked = true
        completionHandler(request)
    }
}

let delegate = Delegate()
let request = URLRequest(url: URL(string: CommandLine.arguments[1] + "/faults/redirect/1")!)
_ = try await URLSession(configuration: .ephemeral).data(for: request, delegate: delegate)
print("expected: the delegate is asked for the redirect; got: \(delegate.isAsked ? "asked" : "not asked")")
exit(delegate.isAsked ? 0 : 1)
