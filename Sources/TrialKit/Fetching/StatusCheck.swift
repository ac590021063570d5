// SPDX-License-Identifier: Apache-2.0

/// Decides whether a status carries the whole asset.
package enum StatusCheck {
    /// Refuses every status that does not, and says of a redirect that the mode follows none.
    package static func check(_ status: Int, inModeWithoutRedirects mode: String) throws(FetchFailure) {
        if (300..<400).contains(status) {
            throw FetchFailure(.httpStatus, "status \(status): mode \(mode) follows no redirects")
        }
        try check(status)
    }

    /// Refuses every status that does not.
    package static func check(_ status: Int) throws(FetchFailure) {
        guard (200..<300).contains(status) else {
            throw FetchFailure(.httpStatus, "status \(status)")
        }
        guard status != 206 else {
            throw FetchFailure(.httpStatus, "status 206: a part of the asset, which no mode asks for")
        }
    }
}
