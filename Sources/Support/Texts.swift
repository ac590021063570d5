// SPDX-License-Identifier: Apache-2.0

// Whoever has this target has its texts: they are a target of their own for what must not bring a process library along.
@_exported import SupportText
