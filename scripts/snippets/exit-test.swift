// SPDX-License-Identifier: Apache-2.0
// The body of a test.
import MemProbe
import MemProbeTesting
import Testing

func makeThumbnail() async throws -> [UInt8] { [] }

func body() async throws {
    //BLOCK
}
