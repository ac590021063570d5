// SPDX-License-Identifier: Apache-2.0

package import TrialKit

/// The modes on AsyncHTTPClient, in the order of `fetchbench list`; a new mode is one file and one line here.
package enum AsyncHTTPClientCatalog {
    package static let all: [any FetchMode] = [
        AHCStreamMode(),
        AHCCollectMode(),
        AHCFileMode(),
    ]
}
