// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// Decides whether a URL is one that a mode fetches.
///
/// The libraries beneath speak more than HTTP: URLSession connects to an FTP server and waits for its greeting, and
/// Foundation's initialisers read files. No figure of a mode is about those.
public enum SchemeCheck {
    /// Refuses every scheme but HTTP's two, before anything is connected to.
    public static func check(_ url: URL) throws(FetchFailure) {
        guard ["http", "https"].contains(url.scheme?.lowercased()) else {
            throw FetchFailure(.unsupportedScheme, "http and https only")
        }
    }
}
