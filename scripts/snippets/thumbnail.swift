// SPDX-License-Identifier: Apache-2.0
// Something that holds memory, and the modules of limits.
import MemProbe
import MemProbeTesting
import Testing

func makeThumbnail() async throws -> [UInt8] { [] }

//BLOCK
