import { html, type Markup } from "../element.ts";
import { readText } from "../data/fetch.ts";
import { useAnswer } from "../data/use-answer.ts";
import { Quiet, Section } from "../parts/small.ts";
import { blocksOf, type Block, type Span } from "../text/markdown.ts";

/** The runbook of an alert, in place if it is one of those that come with aggwatch, and otherwise a link. */
export function Runbook(properties: {
  readonly annotations: Readonly<Record<string, string>>;
}): Markup | undefined {
  const { runbook_url: url = "" } = properties.annotations;
  const name = /(?:^|\/)docs\/runbooks\/([\w-]+)\.md(?:#.*)?$/.exec(url)?.[1];
  if (name !== undefined) return html`<${Shipped} key=${name} name=${name} />`;
  if (!/^https?:\/\//.test(url)) return undefined;
  return html`<${Section} title="Runbook">
    <p><a href=${url} rel="noreferrer">${url}</a></p>
  <//>`;
}

function Shipped({ name }: { readonly name: string }): Markup {
  const answer = useAnswer(`runbooks/${name}`, 0, readText);
  const text = answer?.ok === true ? answer.value : "";
  // The title of the section is the runbook's own.
  const blocks = blocksOf(text).filter(({ type }, index) => index > 0 || type !== "heading");
  return html`<${Section} title="Runbook">
    ${answer === undefined && html`<${Quiet}>Loading …<//>`}
    ${
      answer?.ok === false &&
      html`<${Quiet}
        >${answer.status === 404 ? `aggwatch has no runbook ${name}.` : `It could not be read: ${answer.problem}.`}<//
      >`
    }
    ${blocks.length > 0 && html`<div class="card runbook">${blocks.map(shownBlock)}</div>`}
  <//>`;
}

function shownBlock(block: Block): Markup {
  switch (block.type) {
    case "heading":
      return html`<h3>${block.spans.map(shownSpan)}</h3>`;
    case "paragraph":
      return html`<p>${block.spans.map(shownSpan)}</p>`;
    case "code":
      return html`<pre>${block.text}</pre>`;
    case "list": {
      const items = block.items.map((item) => html`<li>${item.map(shownSpan)}</li>`);
      return block.isOrdered
        ? html`<ol>
            ${items}
          </ol>`
        : html`<ul>
            ${items}
          </ul>`;
    }
  }
}

export function shownSpan(span: Span): Markup {
  switch (span.type) {
    case "text":
      return html`<span>${span.text}</span>`;
    case "code":
      return html`<code>${span.text}</code>`;
    case "strong":
      return html`<b>${span.text}</b>`;
    case "link": {
      const other = /^([\w-]+)\.md$/.exec(span.to)?.[1];
      if (other !== undefined) return html`<a href=${`./runbooks/${other}`}>${span.text}</a>`;
      if (/^https?:\/\//.test(span.to)) return html`<a href=${span.to}>${span.text}</a>`;
      return html`<span>${span.text}</span>`;
    }
  }
}
