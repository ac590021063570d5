import Foundation
import FoundationNetworking

let end = DispatchSemaphore(value: 0)
var seen = ""
// An IPv6 address at which nothing listens: it cannot connect, -1004.
for text in [
    CommandLine.arguments[1] + "/bytes/1KiB",
    CommandLine.arguments[1].replacingOccurrences(of: "127.0.0.1", with: "[::1]") + "/bytes/2KiB",
] {
    URLSession(configuration: .ephemeral).dataTask(with: URL(string: text)!) { data, _, error in
        seen = error.map { "error \(($0 as NSError).code)" } ?? "\(data?.count ?? 0) bytes"
        end.signal()
    }.resume()
    end.wait()
}
print("expected: error -1004; got: \(seen)")
exit(seen == "error -1004" ? 0 : 1)
