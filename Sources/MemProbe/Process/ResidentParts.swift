// SPDX-License-Identifier: Apache-2.0

/// The resident set split by what backs its pages and who else maps them.
package struct ResidentParts: Hashable, Sendable {
    package var resident: ByteCount
    /// The pages that no file backs.
    package var anonymous: ByteCount
    /// The pages of files and shared memory that only this process maps.
    package var privateFile: ByteCount
    /// The pages of files and shared memory that other processes map, too.
    package var sharedFile: ByteCount

    /// Splits the sums over all mappings; `nil` if the kernel omits `Anonymous`.
    ///
    /// Anonymous pages are private, except for those that parent and child share after a fork: by those, private file
    /// pages are counted too low and shared ones too high, but never below zero.
    ///
    /// - Throws: ``MemProbeError/Code/malformed`` if a part is larger than the whole.
    package init?(_ rollup: SmapsRollup) throws(MemProbeError) {
        guard let anonymous = rollup.anonymous else { return nil }
        guard anonymous <= rollup.resident else { throw MemProbeError(.malformed, source: "Anonymous") }
        guard rollup.unique <= rollup.resident else { throw MemProbeError(.malformed, source: "Private_Dirty") }
        resident = rollup.resident
        self.anonymous = anonymous
        privateFile = max(.zero, rollup.unique - anonymous)
        sharedFile = rollup.resident - anonymous - privateFile
    }
}
