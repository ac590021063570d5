// The server answers: what follows does not depend on the connection.
guard ask(origin + "/bytes/1KiB").code == 0 else { exit(2) }
let configuration = URLSessionConfiguration.ephemeral
configuration.timeoutIntervalForRequest = 0
// The answer takes 1 s.
let code = ask(origin + "/bytes/2KiB?delay=1000", URLSession(configuration: configuration)).code
print("expected: no time-out, or the one by default; got: \(code == 0 ? "an answer" : "error \(code)")")
exit(code == 0 ? 0 : 1)
