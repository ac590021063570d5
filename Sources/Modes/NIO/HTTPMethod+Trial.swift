// SPDX-License-Identifier: Apache-2.0

package import NIOHTTP1
package import TrialKit

extension HTTPMethod {
    /// The method of a trial's request: the user's, if given.
    package init(of request: FetchRequest, carrying target: TargetRequest?) {
        self.init(rawValue: target?.method ?? request.method.rawValue)
    }
}
