// SPDX-License-Identifier: Apache-2.0

public import FetchBenchKit

/// Every mode there is.
///
/// A new one is a file of its own and a line here.
public enum ModeCatalog {
    /// The names of the modes that a plan has which names none: the question that made this comparison famous.
    public static let usual = ["none", "data", "download", "stream", "raw"]

    /// The modes, in the order of `fetchbench list`.
    public static let all: [any FetchMode] = [
        NoneMode(),
        SyncDataMode(),
        SyncStringMode(),
        DataMode(),
        DataAsyncMode(),
        DataDelegateMode(),
        StreamMode(),
        StreamBoundedMode(),
        DownloadMode(),
        DownloadAsyncMode(),
        DownloadDelegateMode(),
        TaskGroupDataMode(),
        TaskGroupDownloadMode(),
        PublisherDataMode(),
        PublisherDownloadMode(),
        UploadMode(),
        UploadFileMode(),
        AHCStreamMode(),
        AHCCollectMode(),
        AHCFileMode(),
        NIOStreamMode(),
        CurlStreamMode(),
        RawMode(),
        RawDropMode(),
    ]
}
