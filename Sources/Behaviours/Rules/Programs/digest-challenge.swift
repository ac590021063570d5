final class Delegate: NSObject, URLSessionTaskDelegate, @unchecked Sendable {
    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        let isFirst = challenge.previousFailureCount == 0
        let credential = URLCredential(user: "user", password: "password", persistence: .none)
        completionHandler(isFirst ? .useCredential : .cancelAuthenticationChallenge, isFirst ? credential : nil)
    }
}

let end = DispatchSemaphore(value: 0)
var status = 0
let url = URL(string: CommandLine.arguments[1] + "/auth/digest")!
let session = URLSession(configuration: .ephemeral, delegate: Delegate(), delegateQueue: nil)
session.dataTask(with: url) { _, response, _ in
    status = (response as? HTTPURLResponse)?.statusCode ?? 0
    end.signal()
}.resume()
end.wait()
print("expected: status 200, as the delegate answers the challenge; got: status \(status)")
exit(status == 200 ? 0 : 1)
