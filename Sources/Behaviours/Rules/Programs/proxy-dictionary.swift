let configuration = URLSessionConfiguration.ephemeral
let port = URLComponents(string: origin)!.port!
configuration.connectionProxyDictionary = ["HTTPEnable": 1, "HTTPProxy": "127.0.0.1", "HTTPPort": port]
let session = URLSession(configuration: configuration)
_ = ask(origin + "/bytes/1KiB", session)
// Nothing listens at port 1; the origin answers whatever it is asked as a proxy.
let status = ask(origin.replacingOccurrences(of: ":\(port)", with: ":1") + "/bytes/2KiB", session).status
print("expected: an answer of the proxy; got: \(status == 0 ? "none" : "status \(status)")")
exit(status == 0 ? 1 : 0)
