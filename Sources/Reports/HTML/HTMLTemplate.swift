// SPDX-License-Identifier: Apache-2.0

import Charts
import Mustache
import Texts

/// The template of pages.
enum HTMLTemplate {
    /// Returns a self-contained page, which loads nothing.
    static func text(of page: HTMLPage) -> String { template.render(page.context) }

    private static let template: MustacheTemplate = {
        MustacheContentTypes.register(ScalarEscaping(), named: ScalarEscaping.name)
        do {
            return try MustacheTemplate(string: source)
        } catch {
            preconditionFailure("the template of pages has a mistake: \(error)")
        }
    }()

    /// The Mustache source; unescaped are only pictures, which escape their own texts, and the style and script.
    private static let source = """
        {{% CONTENT_TYPE:\(ScalarEscaping.name)}}
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src '{{scriptHash}}'">
        <meta name="referrer" content="no-referrer">
        <link rel="icon" href="data:,">
        <title>{{title}}</title>
        <style>{{{style}}}</style>
        </head>
        <body{{#width}} class="{{.}}"{{/width}}>
        <header>
        <h1>{{title}}</h1>
        {{#lead}}
        <p class="lead">{{.}}</p>
        {{/lead}}
        </header>
        <nav aria-label="Contents"><ul>
        {{#sections}}
        <li><a href="#{{identifier}}">{{heading}}</a></li>
        {{/sections}}
        </ul></nav>
        <main>
        {{#sections}}
        <section id="{{identifier}}">
        <h2>{{heading}}</h2>
        {{#paragraphs}}
        <p>{{.}}</p>
        {{/paragraphs}}
        {{#figures}}
        <figure class="{{kind}}" data-name="{{name}}"><h3>{{name}}</h3>
        <div class="scroll" tabindex="0" role="group" aria-label="{{name}}">{{{svg}}}</div>
        {{#caption}}
        <figcaption>{{.}}</figcaption>
        {{/caption}}
        </figure>
        {{/figures}}
        {{#tables}}
        <div class="scroll" tabindex="0" role="group" aria-label="{{caption}}"><table>
        <caption>{{caption}}</caption>
        <thead><tr>{{#header}}<th scope="col" class="{{kind}}">{{text}}</th>{{/header}}</tr></thead>
        <tbody>
        {{#rows}}
        <tr{{#identifier}} id="{{.}}"{{/identifier}}>{{#cells}}<td class="{{kind}}">{{#parts}}{{#link}}<a href="{{.}}">{{/link}}{{text}}{{#link}}</a>{{/link}}{{/parts}}</td>{{/cells}}</tr>
        {{/rows}}
        </tbody>
        </table></div>
        {{/tables}}
        {{#hasItems}}
        <ul class="items">
        {{#items}}
        <li>{{#term}}<strong>{{term}}</strong> {{/term}}{{text}}</li>
        {{/items}}
        </ul>
        {{/hasItems}}
        {{#command}}
        <pre tabindex="0"><code>{{.}}</code></pre>
        {{/command}}
        </section>
        {{/sections}}
        </main>
        <script>{{{script}}}</script>
        </body>
        </html>

        """
}

/// Escaping by scalars, because a quotation mark with a combining mark is one character and still ends an attribute.
private struct ScalarEscaping: MustacheContentType {
    static let name = "SCALARS"

    func escapeText(_ text: String) -> String { ChartText.escaped(SafeText.withBytesShown(text)) }
}
