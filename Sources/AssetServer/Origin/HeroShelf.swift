// SPDX-License-Identifier: Apache-2.0

import NIOCore
package import NIOPosix
import Synchronization

/// The images that an origin has open.
///
/// Making or verifying one takes too long for an event loop, so a thread of its own does it, once per origin.
package final class HeroShelf: Sendable {
    private let library: AssetLibrary
    private let pool: NIOThreadPool
    private let images = Mutex<[HeroImage.Variant: Representation]>([:])

    /// Creates an empty shelf.
    package init(library: AssetLibrary, pool: NIOThreadPool) {
        self.library = library
        self.pool = pool
    }

    /// The image, verified; fails with an ``AssetError`` where it cannot be had.
    func image(_ variant: HeroImage.Variant, on eventLoop: any EventLoop) -> EventLoopFuture<Representation> {
        if let image = images.withLock({ $0[variant] }) {
            return eventLoop.makeSucceededFuture(image)
        }
        return pool.runIfActive(eventLoop: eventLoop) { [self] in
            // One thread: whoever waited behind the maker finds the image here.
            if let image = images.withLock({ $0[variant] }) { return image }
            let image = Representation(try library.hero(variant))
            images.withLock { $0[variant] = image }
            return image
        }
    }
}
