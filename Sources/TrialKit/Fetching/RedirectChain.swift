// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// Follows redirects for a library that would send what a user has given for one origin to another one.
///
/// Methods change as RFC 9110 says in section 15.4: a POST becomes a GET after 301 and 302, everything after 303.
package struct RedirectChain {
    /// What is to be asked next.
    package private(set) var request: FetchRequest
    /// What that request carries; once it has left its origin, nothing, even where it is led back.
    package private(set) var target: TargetRequest?
    private var remaining: Int

    /// Begins at a request.
    /// - Parameter limit: how many redirects are followed.
    package init(_ request: FetchRequest, _ settings: FetchSettings, atMost limit: Int) {
        self.request = request
        target = settings.carried(by: request)
        remaining = limit
    }

    /// Goes where an answer leads.
    /// - Returns: `false` where it leads nowhere, so that it is the last one.
    /// - Throws: ``FetchFailure`` where that is no URL, one too many, or one that the request must not be sent to.
    package mutating func follow(status: Int, location: String?) throws(FetchFailure) -> Bool {
        guard [301, 302, 303, 307, 308].contains(status), let location else { return false }
        guard let url = URL(string: location, relativeTo: request.url)?.absoluteURL, url.host?.isEmpty == false,
            ["http", "https"].contains(url.scheme?.lowercased())
        else { throw FetchFailure(.malformedResponse, "status \(status) leads to no URL that can be fetched") }
        guard remaining > 0 else { throw FetchFailure(.tooManyRedirects, "too many redirects") }
        remaining -= 1
        changeMethod(after: status)
        if URLOrigin(url) != URLOrigin(request.url), let target {
            guard ["GET", "HEAD"].contains(target.method) else {
                throw FetchFailure(
                    .httpStatus, "status \(status) leads to another origin, which is sent no \(target.method)")
            }
            self.target = nil
        }
        request.url = withCredentialsOfItsOrigin(url)
        return true
    }

    /// The URL with the credentials of the one that led there, within one origin; without any where it leads to another
    /// one, whoever wrote them.
    private func withCredentialsOfItsOrigin(_ url: URL) -> URL {
        let stays = URLOrigin(url) == URLOrigin(request.url)
        guard stays ? !url.holdsCredentials && request.url.holdsCredentials : url.holdsCredentials,
            var parts = URLComponents(url: url, resolvingAgainstBaseURL: true)
        else { return url }
        let known = URLComponents(url: request.url, resolvingAgainstBaseURL: true)
        parts.percentEncodedUser = stays ? known?.percentEncodedUser : nil
        parts.percentEncodedPassword = stays ? known?.percentEncodedPassword : nil
        return parts.url ?? url
    }

    private mutating func changeMethod(after status: Int) {
        guard let target, target.method != "HEAD" else { return }
        if status == 303 || (target.method == "POST" && [301, 302].contains(status)) {
            self.target = target.withoutBody(method: "GET")
        }
    }
}
