// SPDX-License-Identifier: Apache-2.0

/// Decides whether a status carries the whole asset.
public enum StatusCheck {
    /// Refuses every status that does not, and says of a redirect that the mode follows none.
    public static func check(
        _ status: Int, inModeWithoutRedirects mode: String, resuming resumption: Resumption? = nil
    ) throws(FetchFailure) {
        if (300..<400).contains(status) {
            throw FetchFailure(.httpStatus, "status \(status): mode \(mode) follows no redirects")
        }
        try check(status, resuming: resumption)
    }

    /// Refuses every status that carries neither the whole asset nor the part that was asked for.
    public static func check(_ status: Int, resuming resumption: Resumption?) throws(FetchFailure) {
        guard let resumption, resumption.offset > 0 else { return try check(status) }
        if status == 416 { throw FetchFailure(.rangeRefused, "status 416: the body has no such part") }
        if status != 206 { try check(status) }
    }

    /// Refuses every status that does not.
    public static func check(_ status: Int) throws(FetchFailure) {
        guard (200..<300).contains(status) else {
            throw FetchFailure(.httpStatus, "status \(status)")
        }
        guard status != 206 else {
            throw FetchFailure(.httpStatus, "status 206: a part of the asset, which no mode asks for")
        }
    }
}
