_ = ask(origin + "/bytes/1KiB")
// Effects of response headers on a session.
let cookies = HTTPCookie.cookies(
    withResponseHeaderFields: ["Set-Cookie": "kept=1; Max-Age=3600"], for: URL(string: origin)!)
let isKept = cookies.first.map { $0.expiresDate != nil && !$0.isSessionOnly } ?? false
print("expected: a cookie with a date of expiry; got: \(isKept ? "one" : "a cookie of the session alone")")
exit(isKept ? 0 : 1)
