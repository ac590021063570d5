// SPDX-License-Identifier: Apache-2.0

import NIOCore
package import NIOPosix
import Synchronization

/// The images that an origin has open, and the gallery's manifest.
///
/// Making or verifying one takes too long for an event loop, so a thread of its own does it, once per origin.
package final class ImageShelf: Sendable {
    private let library: AssetLibrary
    private let pool: NIOThreadPool
    private let items = Mutex<[ShelfItem: Representation]>([:])

    package init(library: AssetLibrary, pool: NIOThreadPool) {
        self.library = library
        self.pool = pool
    }

    /// The item, verified; fails with an ``AssetError`` where it cannot be had.
    func representation(of item: ShelfItem, on eventLoop: any EventLoop) -> EventLoopFuture<Representation> {
        if let found = items.withLock({ $0[item] }) {
            return eventLoop.makeSucceededFuture(found)
        }
        return pool.runIfActive(eventLoop: eventLoop) { [self] in
            // One thread: whoever waited behind the maker finds the item here.
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
