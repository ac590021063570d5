// SPDX-License-Identifier: Apache-2.0
// No code: this target lets one call of SwiftPM build all that `make bench` runs; each call takes seconds to plan.
