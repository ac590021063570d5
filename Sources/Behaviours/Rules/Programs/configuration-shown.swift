import Foundation
import FoundationNetworking

/// Makes one request, and returns its error code, or 0.
func ask(_ session: URLSession, _ path: String) -> Int {
    let end = DispatchSemaphore(value: 0)
    var code = 0
    session.dataTask(with: URL(string: CommandLine.arguments[1] + path)!) { _, _, error in
        code = (error as NSError?)?.code ?? 0
        end.signal()
    }.resume()
    end.wait()
    return code
}

let session = URLSession(configuration: .ephemeral)
// The session has a copy of its configuration, and shows one: no change of it changes the session.
session.configuration.timeoutIntervalForRequest = 1
let code = ask(session, "/bytes/1KiB?delay=3000")
print("expected: an answer after 3 s; got: \(code == 0 ? "an answer" : "error \(code)")")
exit(code == 0 ? 0 : 1)
