// SPDX-License-Identifier: Apache-2.0

// Made by scripts/embed-suites of Benchmarks/suites; edit those, not this.

let cacheSuite = #"""
    # Who answers when the same pictures are asked for again, and what does a cache really hold?
    #
    # 36 distinct originals, fetched into the file cache by another process before the trial: then hits in files, in memory,
    # revalidated by their entity tags, and one URL for 12 at once; under each policy that has caches, and under the controls
    # that count the wrong cost and share no fetch; and in files that have room for half of them.
    # About four minutes on two cores.
    name: cache
    description: pictures asked for again after a restart, under the policies of five loaders, two controls, and little room
    assets: [gallery]
    modes: [download]
    renders: [none]
    allocators: [glibc]
    scenarios: [cache, "cache:encoded-cost", "cache:no-coalescing", "cache:small-disk"]
    loaders: [kingfisher, nuke, sdwebimage, glide-like, best]
    trials: 2
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
