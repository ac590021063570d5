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
                "what of it is no page of a file. Pages of a file are resident, too, but the kernel can drop them."
            ),
            (
                "copies held (k):",
                "peak growth ÷ asset size; with rendering what anonymous memory holds beside the bitmap, ÷ asset size."
            ),
            (
                "exact peak:",
                "samples are taken every millisecond and may miss a peak between two of them; the kernel's high-water "
                    + "mark of a phase does not. So its line may lie above every sample."
            ),
            (
                "whole peak, program pages:",
                "the process's resident size at its peak, and what of that is the program and its libraries, which "
                    + "follow the page cache and not the program."
            ),
            (
                "retained, after purge:",
                "what stays resident after everything was dropped, and what stays once the allocator was asked to give "
                    + "everything back."
            ),
            ("the row with mode none", "fetched nothing: it is the floor of the method itself."),
        ]
        return section
    }
}
