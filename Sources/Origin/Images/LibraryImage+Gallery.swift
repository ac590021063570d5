// SPDX-License-Identifier: Apache-2.0

import Runs

extension LibraryImage {
    /// The pictures of a gallery: distinct, with all shapes, sizes and formats in mixed order, like a user's.
    package static let gallery = zip(AssetName.pictures, entries).enumerated().map { index, picture in
        let (name, entry) = picture
        return LibraryImage(
            name, path: "/gallery/\(name.suffix(2)).\(entry.frame.fileExtension)", entry.frame, quality: entry.quality,
            scene: LandscapeScene(
                width: entry.width, height: entry.height, seed: UInt32(index + 1) &* 0x6C07_8965, mood: entry.mood))
    }

    private struct Entry {
        let width: Int, height: Int
        let frame: ImageFrame
        let quality: Int
        let mood: LandscapeMood

        init(_ width: Int, _ height: Int, _ frame: ImageFrame, _ quality: Int, _ mood: LandscapeMood) {
            self.width = width
            self.height = height
            self.frame = frame
            self.quality = quality
            self.mood = mood
        }
    }

    private static let entries = [
        Entry(6000, 4000, .baseline, 96, .noon), Entry(3024, 4032, .baseline, 92, .dawn),
        Entry(4032, 3024, .progressive, 92, .overcast), Entry(3000, 3000, .baseline, 90, .desert),
        Entry(8000, 2000, .baseline, 88, .snow), Entry(640, 480, .baseline, 85, .noon),
        Entry(2448, 3264, .baseline, 90, .dawn), Entry(1600, 1200, .png, 100, .haze),
        Entry(3840, 2160, .baseline, 85, .overcast), Entry(1080, 1920, .baseline, 88, .night),
        Entry(2400, 1600, .webp, 85, .desert), Entry(1920, 1080, .progressive, 85, .snow),
        Entry(1080, 1080, .baseline, 88, .desert), Entry(2000, 3000, .progressive, 90, .noon),
        Entry(1280, 720, .baseline, 80, .overcast), Entry(1200, 1800, .webp, 80, .dawn),
        Entry(4000, 6000, .baseline, 93, .desert), Entry(1024, 1024, .png, 100, .snow),
        Entry(720, 1280, .baseline, 82, .haze), Entry(2048, 1536, .baseline, 90, .noon),
        Entry(4000, 1000, .webp, 80, .overcast), Entry(1536, 2048, .progressive, 88, .dawn),
        Entry(600, 800, .png, 100, .haze), Entry(1500, 1500, .webp, 85, .night),
        Entry(4608, 3456, .baseline, 88, .haze), Entry(1440, 2560, .baseline, 86, .snow),
        Entry(800, 600, .baseline, 80, .desert), Entry(3000, 4000, .progressive, 90, .snow),
        Entry(2560, 1440, .webp, 80, .noon), Entry(480, 640, .baseline, 88, .overcast),
        Entry(1200, 2400, .png, 100, .overcast), Entry(2160, 2160, .baseline, 92, .night),
        Entry(2400, 800, .png, 100, .haze), Entry(1080, 1350, .webp, 90, .haze),
        Entry(2592, 1944, .baseline, 90, .dawn), Entry(1350, 1080, .progressive, 85, .night),
    ]
}
