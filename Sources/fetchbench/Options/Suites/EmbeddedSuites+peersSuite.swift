// SPDX-License-Identifier: Apache-2.0

// Made by scripts/embed-suites of Benchmarks/suites; edit those, not this.

let peersSuite = #"""
    # What do the usual alternatives cost?
    #
    # curl, wget and Python's requests (whole and streamed) beside the modes, to the same file. A command is counted
    # from exec to exit, so compare its growth over sizes (`--asset 1MiB,64MiB`), not its floor. Needs curl, wget and
    # python3-requests (`scripts/install-dependencies --test`). About a minute and a half.
    name: peers
    description: curl, wget and Python requests beside the modes
    assets: [1MiB, 16MiB, 64MiB]
    modes: [none, data, download, stream, ahc-stream, raw]
    exec:
      - curl=curl -sS --fail -o {file} {url}
      - wget=wget -q -O {file} {url}
      - >-
        requests=python3 -c "import requests, sys; answer = requests.get(sys.argv[1]); answer.raise_for_status();
        open(sys.argv[2], 'wb').write(answer.content)" {url} {file}
      - >-
        requests-stream=python3 -c "import requests, shutil, sys; answer = requests.get(sys.argv[1], stream=True);
        answer.raise_for_status(); shutil.copyfileobj(answer.raw, open(sys.argv[2], 'wb'), 65536)" {url} {file}
    renders: [none]
    allocators: [glibc]
    trials: 5
    seed: 1
    rate: 60MiB
    """#
