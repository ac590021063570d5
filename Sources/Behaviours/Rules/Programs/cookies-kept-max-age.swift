import Foundation
import FoundationNetworking

/// Makes one request, and returns its error code, or 0.
func ask(_ session: URLSession, _ path: String) -> Int {
    let end = DispatchSemaphore(value: 0)
    var code = 0
    session.dataTask(with: URL(string: CommandLine.arguments[1] + path)!) { _, _, error in
        code = (error as NSError?)?.code ?? 0
        end.signal()
    }.resume()
    end.wait()
    return code
}

let url = URL(string: CommandLine.arguments[1])!
_ = ask(URLSession(configuration: .ephemeral), "/bytes/1KiB")
// Effects of response headers on a session.
let cookies = HTTPCookie.cookies(withResponseHeaderFields: ["Set-Cookie": "kept=1; Max-Age=3600"], for: url)
let isKept = cookies.first.map { $0.expiresDate != nil && !$0.isSessionOnly } ?? false
print("expected: a cookie with a date of expiry; got: \(isKept ? "one" : "a cookie of the session alone")")
exit(isKept ? 0 : 1)
