// SPDX-License-Identifier: Apache-2.0

import Texts

/// The expected properties of an image of the library, recorded when it was first made.
package struct ImageFacts: Hashable, Sendable {
    /// The size of the recorded file, in bytes.
    package var byteCount: Int
    /// The SHA-256 of that file, which differs between versions of an encoder.
    package var sha256: String
    /// The SHA-256 of the painted pixels, which are the same on every machine.
    package var pixelsSHA256: String

    package init(_ byteCount: Int, _ sha256: String, pixels: String) {
        (self.byteCount, self.sha256) = (byteCount, sha256)
        pixelsSHA256 = pixels
    }

    /// The deviation from the recorded facts, or `nil` if there is none beyond the tolerance for another encoder.
    func complaint(about encoded: LibraryImage.Encoded, frame: ImageFrame) -> String? {
        guard encoded.pixelsSHA256 == pixelsSHA256 else {
            return
                "has other pixels than recorded: the arithmetic of this build is wrong, or its generator's version is"
        }
        let difference = abs(encoded.bytes.count - byteCount)
        guard difference * 1000 <= byteCount * frame.tolerance else {
            return "has \(encoded.bytes.count) bytes; recorded are \(byteCount) ± \(frame.tolerance) ‰"
        }
        return nil
    }
}

package struct ImageHeader: Hashable, Sendable {
    package var width: Int
    package var height: Int
    package var frame: ImageFrame

    package init(width: Int, height: Int, frame: ImageFrame) {
        (self.width, self.height, self.frame) = (width, height, frame)
    }

    /// Parses the header of a JPEG, a PNG or a lossy WebP; throws ``FetchBenchError/Code/image``.
    package init(parsing bytes: [UInt8]) throws {
        if bytes.starts(with: Self.pngSignature) {
            try self.init(png: bytes)
        } else if bytes.starts(with: Array("RIFF".utf8)) {
            try self.init(webp: bytes)
        } else {
            let jpeg = try JPEGFrame(parsing: bytes)
            self.init(width: jpeg.width, height: jpeg.height, frame: jpeg.isProgressive ? .progressive : .baseline)
        }
    }

    private static let pngSignature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    /// Parses `IHDR`, which has to be the first chunk (PNG, section 11.2.2).
    private init(png bytes: [UInt8]) throws {
        guard bytes.count >= 24, bytes[12..<16].elementsEqual("IHDR".utf8) else {
            throw FetchBenchError("the PNG has no header")
        }
        func number(_ offset: Int) -> Int { bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) } }
        self.init(width: number(16), height: number(20), frame: .png)
    }

    /// Parses the key frame's header (RFC 6386, section 9.1), in the only chunk of the simple file format.
    private init(webp bytes: [UInt8]) throws {
        guard bytes.count >= 30, bytes[8..<16].elementsEqual("WEBPVP8 ".utf8), bytes[23..<26] == [0x9D, 0x01, 0x2A]
        else { throw FetchBenchError("the WebP has no frame header in front") }
        func number(_ offset: Int) -> Int { Int(bytes[offset]) | Int(bytes[offset + 1] & 0x3F) << 8 }
        self.init(width: number(26), height: number(28), frame: .webp)
    }
}

extension ImageHeader: CustomStringConvertible {
    package var description: String { "\(width)x\(height) px, \(frame.rawValue)" }
}

extension ImageFacts {
    /// The facts of images by name, recorded with libjpeg-turbo 2.1.5, libpng 1.6.39, zlib 1.2.13 and libwebp 1.2.4.
    ///
    /// After a change of pixels or encoder settings, raise ``LibraryImage/generatorVersion`` and record this list
    /// again.
    package static let recorded: [String: ImageFacts] = [
        "hero": ImageFacts(
            13_098_516, "e4d329467d633825165fbd5cd86bc936c23535fb537c478196f306a7a558de02",
            pixels: "33f0fd1ad619299e3223deaa9aa1d27cd787eb5028b15c5af4835dcccc83b23d"),
        "hero-progressive": ImageFacts(
            11_735_169, "4c22dc0a72d4a414128c827d6ecf38b427686c7fb49283158812c864db829ff3",
            pixels: "33f0fd1ad619299e3223deaa9aa1d27cd787eb5028b15c5af4835dcccc83b23d"),
        "gallery-01": ImageFacts(
            13_111_325, "cba0555af5705f59dfa056343263cde8f7fbd8152031525092e6a041b6e82062",
            pixels: "11570eb553a5d30432a4db253f883f4222a23b283174c6b416cbd71f06dcced4"),
        "gallery-02": ImageFacts(
            2_967_502, "64602ca8ac14961f823c5f30a449ad618d84907273b1a4b1eee6d5a696c5afae",
            pixels: "3c8e068199f53d82e2c5f97bd4bd6763d6222df63c8bf4066714470927970048"),
        "gallery-03": ImageFacts(
            2_949_536, "89aababad8608b4f7bd10b855a1b6022dab5165a440e39ec765866c5bf63d088",
            pixels: "8b23ce0b33a969555b17a515e81ebbb0d034aface9370f5548a52c0c93557e78"),
        "gallery-04": ImageFacts(
            1_945_804, "c4c2b961680bbf6ffe40be9ecc03a71948c4f97f3bad3e294b2da25f257a5ad6",
            pixels: "d6bf0862653267946f14d15d3a18087201785436b929a76ffffc73c815ca8593"),
        "gallery-05": ImageFacts(
            2_943_536, "68d3bf0815fc1046cb2604f6ec72a43c2e44f047d2b996dbfb07acfb5547b33b",
            pixels: "bdc547a410fa9f208248e49f11880371f9ed6a6535b5680e56392eaf7427f87d"),
        "gallery-06": ImageFacts(
            71_853, "690d4d806875770c56dea725c709005b7c54088581fe6b3f4a16d1c38b654775",
            pixels: "f4371ec4c5b3fa2a1cf3268ece268b2d91646124e3d64aceda3d6da1dca00eb0"),
        "gallery-07": ImageFacts(
            1_649_381, "7fa095d07e81252941d2bc069f2647ed5455d49680f7f414dcaa2fe7f87b669d",
            pixels: "5e949114f8fadb4039d8a96bee30ddcb36633600d62df25374527657bfd26c08"),
        "gallery-08": ImageFacts(
            1_826_946, "031fabd11c3d16a378286b6fda8a22096494b8bc82ac9d61987a4b4f0a774e69",
            pixels: "c240c5b95dfec0d8b0acdaa5187600960d04b57ffa9faf655757936922937c8a"),
        "gallery-09": ImageFacts(
            1_315_281, "8606162df9c989cb9bb8a236f6e81af76e5a75d6bc210df02460c6b5d2a4c859",
            pixels: "90ab4c0ebe9a8f8894b2bcf92e4473ccda7c9b0a5b41dd0f1daf6d0025beff33"),
        "gallery-10": ImageFacts(
            467_267, "c477ebbd0bb686a9cef34724d3b0980d95e6d3bf28a97ae88f6b40c84aad1bfd",
            pixels: "1981627d854522810a47841b38d57fd7b89f7b15a1082170c802944a0f70445a"),
        "gallery-11": ImageFacts(
            553_412, "e912d351a1045b291ac7b19b62a4adf13098ecce7ee4047b984d05a822163e69",
            pixels: "f8aeec0d973c6c66e114ad96f6c6f2a5a449e59de3535507162bdc16aeadbe8f"),
        "gallery-12": ImageFacts(
            310_777, "071d729eeb5fb56d224aef959e96bdf86729520ef13891d03a14341d5f93eadd",
            pixels: "bffc313dd9f1ca9bc58205d814df8f9db65aac09f10e0c139d41fb6a41d2e06f"),
        "gallery-13": ImageFacts(
            225_543, "9ed02052e392b6a805fba80dfb343598690088b3ed3b58c154eca79dbd8462b7",
            pixels: "86ceb4d7ecf78bec9c249b0834627989cac0627d0b7b4dd69577b4862ad8a406"),
        "gallery-14": ImageFacts(
            1_644_854, "4076e637f87ede85d0b796d1f1d4311240d70aee15a5ac0d7e66b3bff065bf2c",
            pixels: "f21e9b0ee755f098ad435d65719691bd13a27dba4823d96e356622d826ac91ab"),
        "gallery-15": ImageFacts(
            121_555, "74e21f3df1cbae2f5f8337efd5f86f21c2acd3a691fa18c0426e72d2e7a463eb",
            pixels: "c8b1f9c5ef43ae740ad328e9bad809bc5b7f7b12d810c837d5cb1c6eb9cc3af1"),
        "gallery-16": ImageFacts(
            183_584, "a93dba6bfbd660b1358ff60caab63fbfaa75e99e6766d83c6de87cb2dc41d8f3",
            pixels: "220bc2214f890a86909044599602d35747efdbd6f53f81db15d42e3a1f7d8c9f"),
        "gallery-17": ImageFacts(
            6_688_847, "6acd9f73b318d54ebc1fcae950a1d40ab2885f5625aca8155fe0687329d6fdb6",
            pixels: "6dbeb78376e03633d9dc33a3d0c60f9cc63d14de6c8d7deac1c76537ea607f91"),
        "gallery-18": ImageFacts(
            1_527_567, "8a66bca6dd724c77cd272143d9b4c5040c97bd26f3f427027fa4d40c8f9ace8d",
            pixels: "5ba55d8cd59204c40fc9d19c8c56a0903b4b22bd66e332045c25ada761578a74"),
        "gallery-19": ImageFacts(
            53_132, "937bb461ec57533e9e93d7d9e733e868f0f0a07ebc615b62ab74c14514ba84ca",
            pixels: "58d368b603c72084da3320826c6eca16d83d5180e700ee1dfd99b73eab8ed380"),
        "gallery-20": ImageFacts(
            959_050, "5dcbfb4876766aded64e618584835595c68cbade7b1fa6f206da41d4491b04f7",
            pixels: "265730c3f1efdef557798c58b37e411f8cecc14cd7ea1e269ae1291117120846"),
        "gallery-21": ImageFacts(
            438_396, "820b3f5e18b2e144590da19dca42fa2b765ae33dc845e70fbc268880bf60e2ca",
            pixels: "f3421e08b83ea20499a79616f2eb01b46df613a8e0633e0ac4795671e8415eec"),
        "gallery-22": ImageFacts(
            502_447, "179f69fed991ce15c10c1c371146e81f711acc731878f66a6159bcbf8e4a3bd0",
            pixels: "abbc6dc50978aee94a1a6c431d97b3d2e5f44b0541cb944afc16b78486d997aa"),
        "gallery-23": ImageFacts(
            476_061, "1348950c28eb4ba20f7133b926dd3fd2f113380537523e3b466bb58e7c676342",
            pixels: "867589a69cc46cc87998a21a68620046369007ac7f39ed13379b91a72073ea77"),
        "gallery-24": ImageFacts(
            410_944, "42343f1a370aa9c56b5c6d181c7f40fd3005f0dfa7b8fc7f016fe7e200828b38",
            pixels: "045e93df477efa09f1ff1a651c2a2ae8b5b5d0fb131c5f06248750c64433b9fc"),
        "gallery-25": ImageFacts(
            1_150_011, "2c1e615b2367631642e6ac771c9e10f119471ecc33888aee4826675f6988cabd",
            pixels: "23caee639cd812998e40dffb4e473bb5b8fcac4e48b76ea68672e298548c1200"),
        "gallery-26": ImageFacts(
            621_556, "9ae76842b8f7331c96b1e447a5f90b4097229586439f8f26c5745ffdf676e5b4",
            pixels: "84c088eab672ff053250eaaf87d37cd11e4191a31b7b68d487cd0942e3321421"),
        "gallery-27": ImageFacts(
            66_363, "0f8e37a5d728f651293294dd414a2f6c84c69c3c59eb85643741c8e269b4b2fd",
            pixels: "e2dd1ee1164ecca48204b6b1024f34e8a9b0e18bdf7c136de65e7cfc68a42875"),
        "gallery-28": ImageFacts(
            2_263_765, "a9debc327ac20b868bebbe1d9968391c16c97da66ed1d5693f6cfe5c3e8750fb",
            pixels: "002989ffb3db15dbe3c5d4d5a36cc1d689d33d50742911f8b920af300a4c9194"),
        "gallery-29": ImageFacts(
            691_898, "eedbd0555e7ec94898e9685c48d4b7cadbc62eead6a9ea46004c2d004db6e097",
            pixels: "404acc5052dfc58fa7f1441e914a8cdf443a14a718dc6210016f6a7a6630459b"),
        "gallery-30": ImageFacts(
            64_552, "2be46dbf99e89ddaedc2824753c542fda57261d51aa8feffc65069c9b44ecbea",
            pixels: "e6e36d260f5e297c8f2451b15185b79b5545f0fec6f7ddef3b9d30eadacb6f9f"),
        "gallery-31": ImageFacts(
            4_679_240, "a7619ad26b6201676d23cf4382de61191330ba44caa63124a032d677e313e5c9",
            pixels: "bda0740381ab3a110f9ac42b44e3b91460e71c4a193769b14c961263e2e09217"),
        "gallery-32": ImageFacts(
            1_402_611, "3e2c81384666f9b34c15e1fcbfa06df50d82fe4b3d07772843775f8a7a5a9bc5",
            pixels: "b23226c9dbc228fea81858d173d22a97c993764fc501e8828200c0fab7d03d5e"),
        "gallery-33": ImageFacts(
            1_733_443, "e648ac260a1f65626bc0e67dc7660094014ed3f9814db62dc09f1e7619d94268",
            pixels: "48125c53327e8997230abbcd680545c9196c2a8094027b22fed9c786566de548"),
        "gallery-34": ImageFacts(
            141_952, "5c9a1d4a37d9d57e42a5896a007615d499e70dfa637bed4459645bbd2ff28071",
            pixels: "8d17557a039a05bef3e02c2b2d3326bc0b13977eb435e73dfb3038bc90672d1d"),
        "gallery-35": ImageFacts(
            1_048_162, "27477e8b9c870700d402da0655ab2bea9fb060a4e24abf13a14c620d0f5744ea",
            pixels: "8b021fab8aa1c2bfb62c10c5305f48704b74d984ee4667ffb670a3f9cec2a5c0"),
        "gallery-36": ImageFacts(
            243_266, "d2018e99d85b3745d7779766f90f52ee0ed4d36f372788fad351f8879a9c48ca",
            pixels: "fe3d1a72be6c625b240c942093237734c70b2ac220043168f050e0cfaa93af67"),
    ]
}
