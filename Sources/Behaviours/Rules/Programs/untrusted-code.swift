// The origin without TLS, and with a certificate that the system does not trust.
_ = ask(origin + "/bytes/2KiB")
let code = ask(CommandLine.arguments[2] + "/bytes/2KiB").code
print("expected: the error -1202, serverCertificateUntrusted; got: \(code)")
exit(code == -1202 ? 0 : 1)
