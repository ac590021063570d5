// SPDX-License-Identifier: Apache-2.0

package import TrialKit

/// The modes on URLSession and Foundation's own initialisers.
///
/// A new one is a file of its own and a line here.
package enum URLSessionCatalog {
    /// The modes, in the order of `fetchbench list`.
    package static let all: [any FetchMode] = [
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
        UploadMode(),
        UploadFileMode(),
    ]
}
