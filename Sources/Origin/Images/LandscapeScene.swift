// SPDX-License-Identifier: Apache-2.0

struct LandscapeScene: Hashable {
    /// An even number of pixels, up to 8192, beyond which the grain would repeat.
    var width: Int
    var height: Int
    var seed: UInt32
    var mood: LandscapeMood

    /// The number of times the longer side can be doubled before it reaches the hero's.
    var octavesBelowHero: Int {
        var (side, octaves) = (max(width, height), 0)
        while side < 4096, octaves < 3 {
            side *= 2
            octaves += 1
        }
        return octaves
    }
}
