// SPDX-License-Identifier: Apache-2.0

// Limits are byte counts: who imports this module can write them.
@_exported import MemProbe
