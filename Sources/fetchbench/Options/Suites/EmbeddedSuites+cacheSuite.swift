// SPDX-License-Identifier: Apache-2.0

// Made by scripts/embed-suites of Benchmarks/suites; edit those, not this.

let cacheSuite = #"""
    # Who answers when the same images are requested again, and what does a cache really hold?
    #
    # 36 originals, fetched into the file cache by another process before the trial; then hits in files and in memory,
    # revalidations by entity tag, and one URL for 12 requests at once, under each policy with caches, under the
    # controls (wrong cost, no shared fetch), and with a file cache that has room for half of them. About ten minutes
    # on two cores.
    name: cache
    description: pictures asked for again after a restart, under the policies of five loaders, two controls, and little room
    assets: [gallery]
    modes: [download]
    renders: [none]
    allocators: [glibc]
    scenarios: [cache, "cache:encoded-cost", "cache:no-coalescing", "cache:small-disk"]
    loaders: [kingfisher, nuke, sdwebimage, glide-like, best]
    trials: 5
    seed: 1
    rate: 60MiB
    timeout: 120
    budgets:
      - "gallery/download/*/scenario=cache: file_hit_k <= 0.02"
      - "gallery/download/*/scenario=cache: held_of_limit <= 1.1"
      - "gallery/download/*/scenario=cache: overshoot <= 1MiB"
      - "gallery/download/*/scenario=cache: file_hits >= 1"
      - "gallery/download/*/scenario=cache+loader=*: file_hits >= 1"
      - "gallery/download/*/scenario=cache:small-disk*: files_overshoot <= 32MiB"
    """#
