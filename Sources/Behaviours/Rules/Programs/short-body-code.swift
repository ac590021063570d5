import Foundation
import FoundationNetworking

let end = DispatchSemaphore(value: 0)
var code = 0
// 16 KiB of the 64 KiB that Content-Length promises.
let url = URL(string: CommandLine.arguments[1] + "/faults/short?size=64KiB&sent=16KiB")!
URLSession(configuration: .ephemeral).dataTask(with: url) { _, _, error in
    code = (error as NSError?)?.code ?? 0
    end.signal()
}.resume()
end.wait()
print("expected: the error -1005, networkConnectionLost; got: \(code)")
exit(code == -1005 ? 0 : 1)
