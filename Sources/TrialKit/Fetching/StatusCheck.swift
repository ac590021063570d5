// SPDX-License-Identifier: Apache-2.0

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
