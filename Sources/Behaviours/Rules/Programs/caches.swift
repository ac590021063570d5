let configuration = URLSessionConfiguration.ephemeral
configuration.urlCache = URLCache(memoryCapacity: 16 << 20, diskCapacity: 0, diskPath: nil)
configuration.requestCachePolicy = .useProtocolCachePolicy
let session = URLSession(configuration: configuration)
// Answered with Cache-Control: max-age=60.
let url = "\(origin)/bytes/64KiB?cache=60&seed=\(UInt32.random(in: 1 ... .max))"
for _ in 0..<5 { _ = ask(url, session) }
let isStored = configuration.urlCache?.cachedResponse(for: URLRequest(url: URL(string: url)!)) != nil
print("expected: the response is stored in the session's URLCache; got: \(isStored ? "stored" : "not stored")")
exit(isStored ? 0 : 1)
