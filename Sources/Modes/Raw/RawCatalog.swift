// SPDX-License-Identifier: Apache-2.0

package import TrialKit

/// The modes on a plain socket, in the order of `fetchbench list`; a new mode is one file and one line here.
package enum RawCatalog {
    package static let all: [any FetchMode] = [
        RawMode(),
        RawDropMode(),
    ]
}
