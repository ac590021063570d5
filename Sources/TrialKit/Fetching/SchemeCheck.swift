// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// Checks the schemes of URLs.
///
/// The libraries beneath support more than HTTP: URLSession connects to an FTP server and waits for its greeting, and
/// Foundation's initialisers read files, which modes are not meant to measure.
public enum SchemeCheck {
    /// Throws for every scheme but `http` and `https`; called before anything connects.
    public static func check(_ url: URL) throws(FetchFailure) {
        guard ["http", "https"].contains(url.scheme?.lowercased()) else {
            throw FetchFailure(.unsupportedScheme, "http and https only")
        }
    }
}
