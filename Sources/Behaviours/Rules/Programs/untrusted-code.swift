import Foundation
import FoundationNetworking

let end = DispatchSemaphore(value: 0)
var code = 0
// The origin without TLS, and with a certificate that the system does not trust.
for base in [CommandLine.arguments[1], CommandLine.arguments[2]] {
    let url = URL(string: base + "/bytes/2KiB")!
    URLSession(configuration: .ephemeral).dataTask(with: url) { _, _, error in
        code = (error as NSError?)?.code ?? 0
        end.signal()
    }.resume()
    end.wait()
}
print("expected: the error -1202, serverCertificateUntrusted; got: \(code)")
exit(code == -1202 ? 0 : 1)
