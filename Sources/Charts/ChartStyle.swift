// SPDX-License-Identifier: Apache-2.0

/// The colours and lines of all pictures.
///
/// The colours are those of Okabe and Ito, "Color Universal Design", 2008, which are distinct with any colour vision;
/// outlines, dashes or shapes differ as well. Light is the default and used in print.
package enum ChartStyle {
    /// The style sheet, once in a page and in each picture file.
    package static let css = """
        :root{\(light)}
        @media screen and (prefers-color-scheme:dark){:root{\(dark)}}
        .chart text{font:12px system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif;fill:var(--ink)}
        .chart .small{font-size:11px;fill:var(--soft)}
        .chart .block{font-size:11px}
        .chart .strong{font-weight:600}
        .chart .halo{stroke:var(--paper);stroke-width:4px;paint-order:stroke}
        .chart .paper{fill:var(--paper)}
        .chart .axis{stroke:var(--soft);stroke-width:1}
        .chart .grid{stroke:var(--grid);stroke-width:1}
        .chart .anonymous{fill:var(--blue)}
        .chart .file{fill:var(--file);stroke:var(--orange);stroke-width:1;stroke-dasharray:3 2}
        .chart .other{fill:var(--grid);stroke:var(--soft);stroke-width:1}
        .chart .on-anonymous{fill:var(--paper);font-weight:600}
        .chart .bitmap{fill:none;stroke:var(--ink);stroke-width:1.5}
        .chart .copy{fill:none;stroke:var(--ink);stroke-width:1.5;stroke-dasharray:2 2}
        .chart path{fill:none}
        .chart .resident-line{stroke:var(--orange);stroke-width:1.6;vector-effect:non-scaling-stroke}
        .chart .anonymous-line{stroke:var(--blue);stroke-width:1.6;stroke-dasharray:5 2;vector-effect:non-scaling-stroke}
        .chart .received-line{stroke:var(--green);stroke-width:1.6;stroke-dasharray:1.5 2.5;vector-effect:non-scaling-stroke}
        .chart .allocator-line{stroke:var(--purple);stroke-width:1.6;stroke-dasharray:9 3;vector-effect:non-scaling-stroke}
        .chart .allocated-line{stroke:var(--blue);stroke-width:1.6;stroke-dasharray:3 2;vector-effect:non-scaling-stroke}
        .chart .faint-line{stroke:var(--faint);stroke-width:1;vector-effect:non-scaling-stroke}
        .chart .exact-line{stroke:var(--red);stroke-width:1.4;stroke-dasharray:8 3;vector-effect:non-scaling-stroke}
        .chart .band{fill:var(--band)}
        .chart .band.odd{fill:var(--paper)}
        .chart .dot{fill:var(--blue);fill-opacity:.55;stroke:none}
        .chart .dots{stroke:var(--blue);stroke-opacity:.55;stroke-width:5;stroke-linecap:round}
        .chart .median{stroke:var(--ink);stroke-width:2.5}
        .chart .interval{stroke:var(--ink);stroke-width:1.5}
        .chart .limit{fill:var(--band)}
        .chart .limit-line{stroke:var(--soft);stroke-width:1;stroke-dasharray:4 3}
        .chart .zero{stroke:var(--ink);stroke-width:1}
        .chart .worse{stroke:var(--red);fill:var(--red);stroke-width:2}
        .chart .better{stroke:var(--green);fill:var(--green);stroke-width:2}
        .chart .same{stroke:var(--blue);fill:var(--paper);stroke-width:2}
        .chart .open{stroke:var(--soft);fill:var(--paper);stroke-width:2}
        .chart .frame{fill:var(--blue);fill-opacity:.28;stroke:var(--paper);stroke-width:1}
        .chart .frame.own{fill-opacity:.55}
        .chart .frame.system{fill:var(--orange);fill-opacity:.22}
        .chart .frame.residue{fill:var(--green);fill-opacity:.25;stroke:var(--green);stroke-dasharray:4 2}
        .chart .frame.unattributed{fill:var(--grid);stroke:var(--soft);stroke-dasharray:2 2}
        .chart .step{stroke:var(--red);stroke-width:1.5;stroke-dasharray:4 3}
        \(series)
        """

    private static let light = """
        color-scheme:light;--paper:#fff;--ink:#1b1f24;--soft:#59636e;--grid:#dfe3e8;--band:#f0f3f6;--faint:#c3cad2;\
        --blue:#0072b2;--orange:#c45500;--green:#00795a;--red:#b3261e;--purple:#8a3f75;--brown:#7a5b00;--file:#fbe3cf
        """
    private static let dark = """
        color-scheme:dark;--paper:#0f1419;--ink:#e6e9ed;--soft:#9aa5b1;--grid:#303a45;--band:#1a212a;--faint:#46525f;\
        --blue:#5eb3ea;--orange:#f0a24b;--green:#3fc79a;--red:#ff7b6e;--purple:#dd97c4;--brown:#e0c15a;--file:#4a3218
        """

    /// The styles of named lines and their marks: six colours with two dashes, the second time with solid marks.
    private static let series: String = {
        let colours = ["blue", "orange", "green", "purple", "brown", "red"]
        let dashes = ["", "stroke-dasharray:6 3;"]
        return (0..<seriesCount).map { index in
            let colour = colours[index % colours.count]
            let fill = index < colours.count ? "paper" : colour
            return """
                .chart .s\(index){stroke:var(--\(colour));stroke-width:1.8;\(dashes[index / colours.count])}
                .chart .m\(index){stroke:var(--\(colour));fill:var(--\(fill));stroke-width:1.5}

                """
        }.joined()
    }()

    /// The number of lines that can be told apart, by their colour and dash and by their mark.
    package static let seriesCount = 12
}
