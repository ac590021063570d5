// SPDX-License-Identifier: Apache-2.0

/// A sample in 16 bytes: the whole buffer is touched before a measurement, so its size is a cost.
struct PackedSample: BitwiseCopyable {
    private var time: Int
    private var residentPages: UInt32
    private var sharedPages: UInt32

    static let empty = PackedSample(time: 0, residentPages: 0, sharedPages: 0)
}

extension PackedSample {
    /// Packs a reading; throws for 2³² pages or more, 16 TiB with pages of 4 KiB.
    init(_ reading: ResidentReading, at time: Int, pageSize: Int) throws(MemProbeError) {
        guard let resident = UInt32(exactly: reading.resident.rawValue / pageSize),
            let shared = UInt32(exactly: reading.shared.rawValue / pageSize)
        else { throw MemProbeError(.unavailable, source: "samples of 2^32 pages") }
        self.init(time: time, residentPages: resident, sharedPages: shared)
    }

    func unpacked(pageSize: Int) -> Sample {
        Sample(
            timeNanoseconds: time, resident: ByteCount(Int(residentPages) * pageSize),
            shared: ByteCount(Int(sharedPages) * pageSize))
    }
}
