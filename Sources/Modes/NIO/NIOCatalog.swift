// SPDX-License-Identifier: Apache-2.0

package import TrialKit

/// The modes on SwiftNIO, in the order of `fetchbench list`; a new mode is one file and one line here.
package enum NIOCatalog {
    package static let all: [any FetchMode] = [
        NIOStreamMode()
    ]
}
