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
// Answered with Cache-Control: max-age=60.
let path = "/bytes/64KiB?cache=60&seed=\(UInt32.random(in: 1 ... .max))"
for _ in 0..<5 { _ = ask(session, path) }
let request = URLRequest(url: URL(string: CommandLine.arguments[1] + path)!)
let isStored = session.configuration.urlCache?.cachedResponse(for: request) != nil
print("expected: the response is stored in the session's URLCache; got: \(isStored ? "stored" : "not stored")")
exit(isStored ? 0 : 1)
