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

// The server answers: what follows does not depend on the connection.
guard ask(URLSession(configuration: .ephemeral), "/bytes/1KiB") == 0 else { exit(2) }
let configuration = URLSessionConfiguration.ephemeral
configuration.timeoutIntervalForRequest = 0
// The answer takes 1 s.
let code = ask(URLSession(configuration: configuration), "/bytes/2KiB?delay=1000")
print("expected: no time-out, or the one by default; got: \(code == 0 ? "an answer" : "error \(code)")")
exit(code == 0 ? 0 : 1)
