final class Delegate: NSObject, URLSessionDelegate, URLSessionTaskDelegate {
    nonisolated(unsafe) static var asked = 0
    func urlSession(
        _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        Self.asked += 1
        completionHandler(.useCredential, nil)
    }
}

let end = DispatchSemaphore(value: 0)
let session = URLSession(configuration: .ephemeral, delegate: Delegate(), delegateQueue: nil)
// The origin without TLS, and with a certificate that the system does not trust.
for base in [CommandLine.arguments[1], CommandLine.arguments[2]] {
    session.dataTask(with: URL(string: base + "/bytes/2KiB")!) { _, _, _ in end.signal() }.resume()
    end.wait()
}
print("expected: the delegate is asked; got: \(Delegate.asked) calls")
exit(Delegate.asked > 0 ? 0 : 1)
