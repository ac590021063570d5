// SPDX-License-Identifier: Apache-2.0

/// A body that is put together as it arrives.
struct BodyCollector {
    private(set) var body: [UInt8]
    #if KEEPS_EVERY_PIECE
        /// The mistake of the second build: every piece is kept once more, as if somebody wanted to look at them later.
        private var history: [[UInt8]] = []
    #endif

    /// Creates a body with room for so many bytes.
    @inline(never)
    init(capacity: Int) {
        body = []
        body.reserveCapacity(capacity)
    }

    @inline(never)
    mutating func append(_ piece: UnsafeRawBufferPointer) {
        body.append(contentsOf: piece)
        #if KEEPS_EVERY_PIECE
            remember(piece)
        #endif
    }

    #if KEEPS_EVERY_PIECE
        @inline(never)
        private mutating func remember(_ piece: UnsafeRawBufferPointer) {
            history.append(Array(piece))
        }
    #endif
}
