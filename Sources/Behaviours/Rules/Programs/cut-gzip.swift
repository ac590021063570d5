import Foundation
import FoundationNetworking

let end = DispatchSemaphore(value: 0)
var seen = "an error"
// The first half of a body in gzip, without a length.
let url = URL(string: CommandLine.arguments[1] + "/faults/cut-gzip")!
URLSession(configuration: .ephemeral).dataTask(with: url) { data, _, error in
    if error == nil { seen = "\(data?.count ?? 0) bytes as if whole" }
    end.signal()
}.resume()
end.wait()
print("expected: an error; got: \(seen)")
exit(seen == "an error" ? 0 : 1)
