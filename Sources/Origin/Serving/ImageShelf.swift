// SPDX-License-Identifier: Apache-2.0

import NIOCore
package import NIOPosix
import Synchronization

/// The images that an origin has open, and the gallery's manifest.
///
/// Making or verifying one takes too long for an event loop, so a separate thread does it, once per origin.
package final class ImageShelf: Sendable {
    private let library: AssetLibrary
    private let pool: NIOThreadPool
    private let items = Mutex<[ShelfItem: Representation]>([:])

    package init(library: AssetLibrary, pool: NIOThreadPool) {
        self.library = library
        self.pool = pool
    }

    /// Returns the verified item; fails with an ``AssetError``.
    func representation(of item: ShelfItem, on eventLoop: any EventLoop) -> EventLoopFuture<Representation> {
        if let found = items.withLock({ $0[item] }) {
            return eventLoop.makeSucceededFuture(found)
        }
        return pool.runIfActive(eventLoop: eventLoop) { [self] in
            // The pool has one thread, so a request that waited for the maker finds the item here.
            if let found = items.withLock({ $0[item] }) { return found }
            let made =
                switch item {
                case .image(let image): Representation(try library.stored(image))
                case .manifest: try Representation(GalleryManifest(try library.gallery()))
                }
            items.withLock { $0[item] = made }
            return made
        }
    }
}
