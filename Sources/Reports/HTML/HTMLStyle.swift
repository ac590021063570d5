// SPDX-License-Identifier: Apache-2.0

import Charts

/// The style sheet of pages.
enum HTMLStyle {
    /// The style of charts, of the page around them, and for printing.
    static let text = ChartStyle.css + page + printed

    private static let page = """

        *{box-sizing:border-box}
        html{background:var(--paper)}
        body{margin:0 auto;padding:1rem 1.25rem 4rem;max-width:60rem;background:var(--paper);color:var(--ink);\
        font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif;overflow-wrap:anywhere}
        .wide{max-width:none}
        .wide header,.wide .items{max-width:60rem}
        h1{font-size:1.6rem;line-height:1.25;margin:.5rem 0}
        h2{font-size:1.25rem;margin:2.5rem 0 .5rem;padding-top:.5rem;border-top:1px solid var(--grid)}
        h3{font-size:.95rem;margin:0 0 .25rem}
        .lead{font-size:1.1rem}
        a{color:var(--blue)}
        nav ul{display:flex;flex-wrap:wrap;gap:.25rem 1rem;padding:0;margin:0;list-style:none;font-size:.9rem}
        figure{margin:1.25rem 0 1.75rem}
        figcaption{color:var(--soft);font-size:.875rem;margin-top:.25rem}
        .chart{display:block;width:100%;min-width:34rem;height:auto}
        .scroll{overflow-x:auto;max-width:100%}
        table{border-collapse:collapse;font-size:.8125rem;margin:1rem 0;font-variant-numeric:tabular-nums;overflow-wrap:normal}
        caption{text-align:left;color:var(--soft);font-size:.875rem;padding-bottom:.25rem}
        th,td{padding:.25rem .5rem;border-bottom:1px solid var(--grid);text-align:left;vertical-align:baseline}
        th{border-bottom-color:var(--soft);font-weight:600}
        .number{text-align:right}
        td.number{white-space:nowrap}
        tbody tr:hover{background:var(--band)}
        pre{overflow-x:auto;padding:.75rem;background:var(--band);border:1px solid var(--grid)}
        code{font:.85rem/1.4 ui-monospace,"DejaVu Sans Mono",monospace}
        .items{padding-left:1.2rem}
        button,input,select{font:inherit;color:inherit;background:var(--band);border:1px solid var(--soft);border-radius:4px;\
        padding:.15rem .5rem}
        th button{border:0;background:none;padding:0;font-weight:600;text-align:inherit;cursor:pointer}
        th button::after{content:" ↕";color:var(--soft)}
        th[aria-sort=ascending] button::after{content:" ↑"}
        th[aria-sort=descending] button::after{content:" ↓"}
        :focus-visible{outline:3px solid var(--blue);outline-offset:2px}
        .controls{display:flex;flex-wrap:wrap;gap:.4rem;align-items:center;font-size:.875rem;margin:.4rem 0}
        .controls input,.controls select{max-width:100%}
        tr:target{background:var(--band)}
        .controls output{min-height:1.5em;font-variant-numeric:tabular-nums}
        .chart .cursor{stroke:var(--ink);stroke-width:1;vector-effect:non-scaling-stroke}
        .timeline .plot{touch-action:pan-y}
        [hidden]{display:none!important}

        """

    private static let printed = """
        @media print{
        @page{margin:14mm}
        body{max-width:none;padding:0;font-size:10pt}
        nav,.controls{display:none!important}
        .scroll,pre{overflow:visible}
        pre{white-space:pre-wrap}
        .chart{min-width:0;print-color-adjust:exact;-webkit-print-color-adjust:exact}
        table{font-size:6.5pt;width:100%}
        th,td{padding:1px 2px;overflow-wrap:anywhere}
        td.number{white-space:normal;min-width:4.5ch}
        td.word{min-width:8.5ch}
        th button::after{content:none}
        figure,tr{break-inside:avoid}
        h2,h3,caption{break-after:avoid}
        a{color:inherit;text-decoration:none}
        }
        """
}
