// SPDX-License-Identifier: Apache-2.0

struct FrameTable {
    private(set) var frames: [HolderFrame] = []
    private var places: [HolderFrame: Int] = [:]
    private let names: [UInt64: [HolderFrame]]
    private let images: [LoadedImage]

    init(names: [UInt64: [HolderFrame]], images: [LoadedImage]) {
        self.names = names
        self.images = images
    }

    /// Returns the indices of the frames of an address, several where functions were inlined.
    mutating func frames(of address: UInt64) -> [Int] {
        let image = images.last { $0.range.contains(address) }
        return (names[address] ?? [unnamed(address, in: image)]).map { frame in
            var frame = frame
            frame.isSystem = frame.isSystem || image?.isSystem == true || SystemCode.isNamed(frame.function)
            return place(of: frame)
        }
    }

    private mutating func place(of frame: HolderFrame) -> Int {
        if let place = places[frame] { return place }
        frames.append(frame)
        places[frame] = frames.count - 1
        return frames.count - 1
    }

    private func unnamed(_ address: UInt64, in image: LoadedImage?) -> HolderFrame {
        guard let image else {
            return HolderFrame(function: "0x" + String(address, radix: 16), module: "?")
        }
        let offset = String(address - image.range.lowerBound, radix: 16)
        return HolderFrame(function: "\(image.name)+0x\(offset)", module: image.name)
    }
}
