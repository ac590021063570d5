// SPDX-License-Identifier: Apache-2.0

/// The guide to the pictures and tables of a run.
enum RunPageGuide {
    static var section: HTMLSection {
        var section = HTMLSection("reading", "How to read this")
        section.items = [
            (
                "peak growth:",
                "the kernel's high-water mark of the resident size in fetch, hold and render, minus the resident size at "
                    + "the mark before them, after the warm-up."
            ),
            (
                "anonymous:",
                "the part that is not backed by a file. File-backed pages are resident, too, but the kernel can drop them."
            ),
            (
                "copies held (k):",
                "peak growth ÷ asset size; with rendering (anonymous memory − bitmap) ÷ asset size."
            ),
            (
                "exact peak:",
                "samples are taken every millisecond and may miss a peak between two of them; the kernel's high-water "
                    + "mark of a phase does not, so it may be above every sample."
            ),
            (
                "whole peak, program pages:",
                "the process's resident size at its peak, and the part that is the program and its libraries, which "
                    + "depends on the page cache."
            ),
            (
                "retained, after purge:",
                "resident memory left after everything was released, and after the allocator was asked to return "
                    + "everything back."
            ),
            ("the row with mode none", "does not fetch: it shows the baseline of the method itself."),
        ]
        return section
    }
}
