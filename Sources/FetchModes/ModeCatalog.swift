// SPDX-License-Identifier: Apache-2.0

public import FetchBenchKit

/// Every mode there is.
///
/// A new one is a file of its own and a line here.
public enum ModeCatalog {
    /// The modes, in the order of `fetchbench list`.
    public static let all: [any FetchMode] = [
        NoneMode(),
        DataMode(),
        DownloadMode(),
        StreamMode(),
        RawMode(),
    ]
}
