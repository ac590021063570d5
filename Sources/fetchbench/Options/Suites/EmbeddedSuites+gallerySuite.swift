// SPDX-License-Identifier: Apache-2.0

// Made by scripts/embed-suites of Benchmarks/suites; edit those, not this.

let gallerySuite = #"""
    # What does a list of images hold beyond the visible ones, under each loader's policy?
    #
    # 36 originals (50 KB to 13 MB; JPEG, progressive JPEG, PNG and WebP) in a list of three columns that scrolls along
    # a seeded trace and stops; then one image for 12 cells at once. The policies are models of libraries, with sources
    # in `fetchbench list loaders`, each by the mode closest to it. glibc is pinned: by default it keeps freed memory in
    # each decoding thread, whatever the policy. About seven minutes on two cores.
    name: gallery
    description: a scrolling list of pictures, and one picture for 12 cells, under the policies of seven loaders in their closest modes
    assets: [gallery]
    modes: [closest]
    renders: [none]
    allocators: [glibc-pinned]
    scenarios: [gallery, coalesce]
    loaders: [kingfisher, nuke, sdwebimage, glide-like, dictionary, naive, best]
    trials: 5
    seed: 1
    rate: 60MiB
    timeout: 120
    budgets:
      - "gallery/*/scenario=gallery*: wrong_pictures <= 0"
      - "gallery/*/scenario=gallery*: failures <= 0"
      - "gallery/download/*/scenario=gallery: gallery_peak <= 1.5"
      - "gallery/download/*/scenario=gallery: stale <= 0"
      - "gallery/download/*/scenario=coalesce: requests <= 1"
    """#
