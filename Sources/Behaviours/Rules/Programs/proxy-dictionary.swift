import Foundation
import FoundationNetworking

let end = DispatchSemaphore(value: 0)
var status = 0
let origin = URLComponents(string: CommandLine.arguments[1])!
let configuration = URLSessionConfiguration.ephemeral
configuration.connectionProxyDictionary = ["HTTPEnable": 1, "HTTPProxy": "127.0.0.1", "HTTPPort": origin.port!]
let session = URLSession(configuration: configuration)
var proxied = origin
// Nothing listens at port 1; the origin answers whatever it is asked as a proxy.
proxied.port = 1
for (url, path) in [(origin, "/bytes/1KiB"), (proxied, "/bytes/2KiB")] {
    session.dataTask(with: URL(string: url.string! + path)!) { _, response, _ in
        status = (response as? HTTPURLResponse)?.statusCode ?? 0
        end.signal()
    }.resume()
    end.wait()
}
print("expected: an answer of the proxy; got: \(status == 0 ? "none" : "status \(status)")")
exit(status == 0 ? 1 : 0)
