import Foundation
import FoundationNetworking

let end = DispatchSemaphore(value: 0)
var seen = ""
// A response whose header lines have no space after the colon.
let url = URL(string: CommandLine.arguments[1] + "/faults/tight-header")!
URLSession(configuration: .ephemeral).dataTask(with: url) { data, _, error in
    seen = error.map { "error \(($0 as NSError).code)" } ?? "\(data?.count ?? 0) bytes"
    end.signal()
}.resume()
end.wait()
print("expected: 3 bytes; got: \(seen)")
exit(seen == "3 bytes" ? 0 : 1)
