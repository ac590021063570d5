let end = DispatchSemaphore(value: 0)
var status = 0
let url = URL(string: CommandLine.arguments[1] + "/auth/basic")!
let space = URLProtectionSpace(
    host: url.host!, port: url.port!, protocol: "http", realm: "fetchbench",
    authenticationMethod: NSURLAuthenticationMethodHTTPBasic)
let credential = URLCredential(user: "user", password: "password", persistence: .forSession)
URLCredentialStorage.shared.setDefaultCredential(credential, for: space)
URLSession(configuration: .default).dataTask(with: url) { _, response, _ in
    status = (response as? HTTPURLResponse)?.statusCode ?? 0
    end.signal()
}.resume()
let isCalled = end.wait(timeout: .now() + 5) == .success
print("expected: status 200; got: \(isCalled ? "status \(status)" : "no call in 5 s")")
exit(status == 200 ? 0 : 1)
