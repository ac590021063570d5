// SPDX-License-Identifier: Apache-2.0

/// The cap on what a decoder may allocate for itself, apart from the bitmap it decodes into.
///
/// A progressive image is decoded through an array of all its coefficients, whose size the header alone decides:
/// 2 KiB of JPEG can ask for a gibibyte. The decoder of JPEG reads its cap from the environment, whenever it starts on
/// an image, so the cap is set where a trial's environment is made; what the others will need is reckoned beforehand.
package enum DecoderMemory {
    /// The cap in bytes; enough for the coefficients of 89 megapixels at 4:2:0.
    package static let limitBytes = 256 * 1_048_576

    /// The environment variable that sets the cap; libjpeg-turbo reads its value in units of 1000 bytes.
    package static let environment = (name: "JPEGMEM", value: String(limitBytes / 1000))
}
