// SPDX-License-Identifier: Apache-2.0

/// The resident set taken apart by what backs its pages and who else maps them.
package struct ResidentParts: Hashable, Sendable {
    package var resident: ByteCount
    /// What no file backs.
    package var anonymous: ByteCount
    /// What a file or shared memory backs and this process alone maps.
    package var privateFile: ByteCount
    /// What a file or shared memory backs and other processes map, too.
    package var sharedFile: ByteCount

    /// Takes the sums over all mappings apart, or returns `nil` where the kernel leaves `Anonymous` out.
    ///
    /// Anonymous pages are private, but for those that a fork left to parent and child: what these take away from the
    /// private pages of files is counted as shared, and nothing falls below zero.
    ///
    /// - Throws: ``MemProbeError/Code/malformed`` where a part is larger than the whole.
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
