import Foundation
import FoundationNetworking

let end = DispatchSemaphore(value: 0)
var seen = ""
// The usual URL, and the same with a short form of the address.
for text in [
    CommandLine.arguments[1] + "/bytes/1KiB",
    CommandLine.arguments[1].replacingOccurrences(of: "127.0.0.1", with: "127.1") + "/bytes/2KiB",
] {
    URLSession(configuration: .ephemeral).dataTask(with: URL(string: text)!) { data, _, error in
        seen = error.map { "error \(($0 as NSError).code)" } ?? "\(data?.count ?? 0) bytes"
        end.signal()
    }.resume()
    end.wait()
}
print("expected: 2048 bytes; got: \(seen)")
exit(seen == "2048 bytes" ? 0 : 1)
