let session = URLSession(configuration: .ephemeral)
// The session has a copy of its configuration, and shows one: no change of it changes the session.
session.configuration.timeoutIntervalForRequest = 1
let code = ask(origin + "/bytes/1KiB?delay=3000", session).code
print("expected: an answer after 3 s; got: \(code == 0 ? "an answer" : "error \(code)")")
exit(code == 0 ? 0 : 1)
