// SPDX-License-Identifier: Apache-2.0

/// What is painted: how large, from which seed, in which light.
struct LandscapeScene: Hashable {
    /// Pixels in a row: an even number up to 8192, from where on the grain would repeat.
    var width: Int
    /// Rows; an even number.
    var height: Int
    /// What its noise is derived from.
    var seed: UInt32
    var mood: LandscapeMood

    /// How many times the longer side can be doubled before it is as long as the hero's.
    var octavesBelowHero: Int {
        var (side, octaves) = (max(width, height), 0)
        while side < 4096, octaves < 3 {
            side *= 2
            octaves += 1
        }
        return octaves
    }
}
