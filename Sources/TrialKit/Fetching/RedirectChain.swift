// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// Follows redirects for libraries that would send the user's details for one origin to another one.
///
/// Methods change as in RFC 9110, section 15.4: POST becomes GET after 301 and 302, every method after 303.
package struct RedirectChain {
    package static let tooMany = "too many redirects"

    package private(set) var request: FetchRequest
    /// The details of the next request; `nil` once it has left its origin, even if it returns there.
    package private(set) var target: TargetRequest?
    private var remaining: Int

    package init(_ request: FetchRequest, _ settings: FetchSettings, atMost limit: Int) {
        self.request = request
        target = settings.carried(by: request)
        remaining = limit
    }

    /// Follows a redirect.
    /// - Returns: `false` if the response is not a redirect.
    /// - Throws: ``FetchFailure`` if the location is not a URL, the limit is exceeded, or the request must not be sent
    ///   there.
    package mutating func follow(status: Int, location: String?) throws(FetchFailure) -> Bool {
        guard [301, 302, 303, 307, 308].contains(status), let location else { return false }
        guard let url = URL(string: location, relativeTo: request.url)?.absoluteURL, url.host?.isEmpty == false,
            ["http", "https"].contains(url.scheme?.lowercased())
        else { throw FetchFailure(.malformedResponse, "status \(status) leads to no URL that can be fetched") }
        guard remaining > 0 else { throw FetchFailure(.tooManyRedirects, Self.tooMany) }
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

    /// Returns the URL with the credentials of the redirecting one, if it stays within the origin and has none of its
    /// own; without any credentials, if it leaves the origin.
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

/// Checks whether a status carries the requested body.
public enum StatusCheck {
    /// Throws like ``check(_:resuming:)``, and for redirects, which the mode does not follow.
    public static func check(
        _ status: Int, inModeWithoutRedirects mode: String, resuming resumption: Resumption? = nil
    ) throws(FetchFailure) {
        if (300..<400).contains(status) {
            throw FetchFailure(.httpStatus, "status \(status): mode \(mode) follows no redirects")
        }
        try check(status, resuming: resumption)
    }

    /// Throws unless the status carries the whole asset or the requested part.
    public static func check(_ status: Int, resuming resumption: Resumption?) throws(FetchFailure) {
        guard let resumption, resumption.offset > 0 else { return try check(status) }
        if status == 416 { throw FetchFailure(.rangeRefused, "status 416: the body has no such part") }
        if status != 206 { try check(status) }
    }

    /// Throws unless the status carries the whole asset.
    public static func check(_ status: Int) throws(FetchFailure) {
        guard (200..<300).contains(status) else {
            throw FetchFailure(.httpStatus, "status \(status)")
        }
        guard status != 206 else {
            throw FetchFailure(.httpStatus, "status 206: a part of the asset, which no mode asks for")
        }
    }
}
