// SPDX-License-Identifier: Apache-2.0

// Limits are byte counts: users of this module can write them without another import.
@_exported import MemProbe
