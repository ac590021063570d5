import Foundation
import FoundationNetworking

let end = DispatchSemaphore(value: 0)
var seen = ""
// A chunked answer with a trailer field.
for text in [CommandLine.arguments[1] + "/bytes/1KiB", CommandLine.arguments[1] + "/faults/trailer"] {
    URLSession(configuration: .ephemeral).dataTask(with: URL(string: text)!) { data, _, error in
        seen = error.map { "error \(($0 as NSError).code)" } ?? "\(data?.count ?? 0) bytes"
        end.signal()
    }.resume()
    end.wait()
}
print("expected: 3 bytes; got: \(seen)")
exit(seen == "3 bytes" ? 0 : 1)
