// SPDX-License-Identifier: Apache-2.0

extension Bitmap {
    func copyPixels(to copy: Bitmap) {
        precondition(copy.size == size, "a copy of another size")
        withPixels { source in
            copy.withPixels { target in
                for row in 0..<size.height { target.row(row).update(from: source.row(row), count: size.width) }
            }
        }
    }
}
