import Foundation
import FoundationNetworking

let end = DispatchSemaphore(value: 0)
let configuration = URLSessionConfiguration.ephemeral
configuration.urlCache = URLCache(memoryCapacity: 16 << 20, diskCapacity: 0, diskPath: nil)
configuration.requestCachePolicy = .useProtocolCachePolicy
let session = URLSession(configuration: configuration)
// Answered with Cache-Control: max-age=60.
let path = "/bytes/64KiB?cache=60&seed=\(UInt32.random(in: 1 ... .max))"
let request = URLRequest(url: URL(string: CommandLine.arguments[1] + path)!)
for _ in 0..<5 {
    session.dataTask(with: request) { _, _, _ in end.signal() }.resume()
    end.wait()
}
let isStored = configuration.urlCache?.cachedResponse(for: request) != nil
print("expected: the response is stored in the session's URLCache; got: \(isStored ? "stored" : "not stored")")
exit(isStored ? 0 : 1)
