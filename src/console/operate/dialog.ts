import { useEffect, useRef, useState } from "preact/hooks";
import { html, type Markup } from "../element.ts";
import { asked, type Field, type Given, type Operation } from "./operation.ts";
import { NOTHING_SAID, send } from "./send.ts";
import { session } from "./session.ts";
import { TokenInput } from "./token-input.ts";
import { valueOf } from "../parts/filters.ts";
import { refresh, revision } from "../data/store.ts";

/**
 * The one dialog for all that may act: what exactly, on what (as it is now), for how long, why, as whom; then the
 * answer. It stays open while the view behind it changes, and keeps what was typed.
 */
export function OperationDialog(): Markup | undefined {
  const operation = asked.value;
  return operation === undefined
    ? undefined
    : html`<${OpenDialog} key=${operation} operation=${operation} />`;
}

/** What was typed, and what became of it. */
function useSending(operation: Operation) {
  const [given, setGiven] = useState<Given>(initialOf(operation.fields ?? []));
  const [reason, setReason] = useState("");
  const [said, say] = useState(NOTHING_SAID);
  const [preview, setPreview] = useState<unknown>();
  const [isSending, setSending] = useState(false);
  const mustLookFirst = operation.preview !== undefined && preview === undefined;
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (isSending) return;
    setSending(true);
    say({ text: "Sending …", tone: "" });
    const outcome = await send({ operation, given, reason, isPreview: mustLookFirst });
    say(outcome.said);
    if (mustLookFirst) setPreview(outcome.value);
    else if (outcome.said.tone === "well") setReason("");
    setSending(false);
    await refresh();
  };
  return { given, setGiven, reason, setReason, said, preview, isSending, mustLookFirst, submit };
}

function OpenDialog({ operation }: { readonly operation: Operation }): Markup {
  const dialog = useRef<HTMLDialogElement>(null);
  const sending = useSending(operation);
  const { given, setGiven, said, preview, isSending, mustLookFirst } = sending;
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  // Each answer of the daemon may change what the dialog is about.
  const about = revision.value >= 0 ? operation.about(given) : undefined;
  const closed = (): void => {
    asked.value = undefined;
  };
  return html`<dialog ref=${dialog} aria-labelledby="operation-title" onClose=${closed}>
    <form autocomplete="off" onSubmit=${sending.submit}>
      <h2 id="operation-title">${operation.title}</h2>
      <${About} about=${about} />
      ${operation.isIrreversible === true && html`<p class="banner">This cannot be undone.</p>`}
      ${(operation.fields ?? []).map(
        (field) =>
          html`<${FieldInput}
            field=${field}
            value=${given[field.name]}
            onValue=${(value: string) => setGiven({ ...given, [field.name]: value })}
          />`,
      )}
      <${TokenInput} />
      ${operation.body !== undefined && html`<${ReasonInput} ...${sending} />`}
      ${preview !== undefined && html`<div class="preview">${operation.preview?.(preview)}</div>`}
      <output class=${said.tone} role="status">${said.text}</output>
      <p class="buttons">
        <button type="submit" class="act" disabled=${about === undefined || isSending}>
          ${mustLookFirst ? "Preview" : operation.verb}
        </button>
        <button type="button" onClick=${() => dialog.current?.close()}>Close</button>
      </p>
    </form>
  </dialog>`;
}

type Reason = { readonly reason: string; readonly setReason: (reason: string) => void };

function ReasonInput({ reason, setReason }: Reason): Markup {
  return html`<label for="operation-reason">Reason</label>
    <input
      id="operation-reason"
      required
      autofocus=${session.value !== undefined}
      maxlength="500"
      autocomplete="off"
      value=${reason}
      onInput=${(event: Event) => setReason(valueOf(event))}
    />
    <small>The journal keeps it, with the name of your token.</small>`;
}

function initialOf(fields: readonly Field[]): Given {
  return Object.fromEntries(fields.map(({ name, value }) => [name, value]));
}

function About({ about }: { readonly about: ReturnType<Operation["about"]> }): Markup {
  if (about === undefined)
    return html`<p class="banner">It does not wait for this decision any more.</p>`;
  return html`<dl class="facts">
    ${about.map(
      ([term, text]) =>
        html`<dt>${term}</dt>
          <dd>${text}</dd>`,
    )}
  </dl>`;
}

function FieldInput(properties: {
  readonly field: Field;
  readonly value: string;
  readonly onValue: (value: string) => void;
}): Markup {
  const { field, value, onValue } = properties;
  const id = `operation-${field.name}`;
  const set = (event: Event): void => onValue(valueOf(event));
  const input =
    field.choices === undefined
      ? html`<input
          id=${id}
          value=${value}
          required=${field.isRequired}
          autocomplete="off"
          spellcheck="false"
          onInput=${set}
        />`
      : html`<select id=${id} value=${value} onChange=${set}>
          ${field.choices.map((choice) => html`<option value=${choice}>${choice || "any"}</option>`)}
        </select>`;
  return html`<label for=${id}>${field.label}</label> ${input}
    ${field.hint !== undefined && html`<small>${field.hint}</small>`}`;
}
