// SPDX-License-Identifier: Apache-2.0

package import TrialKit

/// The modes on URLSession and Foundation, in the order of `fetchbench list`; a new mode is a type and a line here.
package enum URLSessionCatalog {
    package static let all: [any FetchMode] =
        [
            SyncDataMode(), SyncStringMode(), GCDDataMode(), DataMode(), DataAsyncMode(), DataDelegateMode(),
            StreamMode(), StreamBoundedMode(), DownloadMode(), DownloadAsyncMode(), DownloadDelegateMode(),
        ] + GroupMode.all + [UploadMode(), UploadFileMode()]
}
