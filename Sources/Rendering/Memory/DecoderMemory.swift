// SPDX-License-Identifier: Apache-2.0

/// The limit of a decoder's own allocations, apart from the bitmap it decodes into.
///
/// A progressive image is decoded through an array of all its coefficients, whose size the header determines: 2 KiB of
/// JPEG can require 1 GiB. libjpeg-turbo reads its limit from the environment whenever it starts on an image, so a
/// trial's environment sets it; the needs of other decoders are calculated beforehand.
package enum DecoderMemory {
    /// The usual limit in bytes, enough for the coefficients of 89 megapixels at 4:2:0.
    package static let usualBytes = 256 * 1_048_576

    /// The environment variable of the limit; libjpeg-turbo reads its value in units of 1000 bytes.
    package static let environment = (name: "JPEGMEM", value: String(usualBytes / 1000))
}
