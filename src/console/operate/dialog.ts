import { useEffect, useRef, useState } from "preact/hooks";
import { html, type Markup } from "../element.ts";
import { asked, giveFocusBack, type Given, type Operation } from "./operation.ts";
import { FieldInput, initialOf } from "./field-input.ts";
import { NOTHING_SAID, send, type Said } from "./send.ts";
import { session } from "./session.ts";
import { TokenInput } from "./token-input.ts";
import { valueOf } from "../parts/filters.ts";
import { LostBanner } from "../parts/lost-banner.ts";
import { Terms } from "../parts/small.ts";
import { refresh, revision, shownAt } from "../data/store.ts";

/**
 * The one dialog for every call that changes something. It shows what is done, to what (as it is now), for how long,
 * why and by whom, and then the answer. While the view behind it changes, it stays open and keeps what was typed.
 */
export function OperationDialog(): Markup | undefined {
  const operation = asked.value;
  const isPast = shownAt.value !== undefined;
  // A step back in the browser may lead into the past, from where nothing can be done.
  useEffect(() => {
    if (isPast) asked.value = undefined;
  }, [isPast]);
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
    else if (outcome.said.tone === "well") {
      setReason("");
      // What it would change next is another question.
      setPreview(undefined);
    }
    setSending(false);
    await refresh();
  };
  return { given, setGiven, reason, setReason, said, preview, isSending, mustLookFirst, submit };
}

function closed(): void {
  asked.value = undefined;
  giveFocusBack();
}

function OpenDialog({ operation }: { readonly operation: Operation }): Markup {
  const dialog = useRef<HTMLDialogElement>(null);
  const sending = useSending(operation);
  const { given, said, preview, isSending, mustLookFirst } = sending;
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  // Each answer of the daemon may change what the dialog is about.
  const about = revision.value >= 0 ? operation.about(given) : undefined;
  // It would be carried out all the same, and what came of it would not be shown.
  const stayWhileSending = (event: Event): void => {
    if (isSending) event.preventDefault();
  };
  const isGone = about === undefined;
  const close = useRef<HTMLButtonElement>(null);
  // A button that cannot be pressed any more loses the focus; the keyboard must not be sent to the page behind.
  useEffect(() => {
    if (isGone && hasLostFocus()) close.current?.focus();
  }, [isGone]);
  return html`<dialog
    ref=${dialog}
    aria-labelledby="operation-title"
    onClose=${closed}
    onCancel=${stayWhileSending}
    onKeyDown=${(event: KeyboardEvent) => event.key === "Escape" && stayWhileSending(event)}
  >
    <form autocomplete="off" onSubmit=${sending.submit}>
      <h2 id="operation-title">${operation.title}</h2>
      <${LostBanner} />
      <${About} about=${about} gone=${operation.gone} said=${said} />
      ${operation.isIrreversible === true && html`<p class="banner">This cannot be undone.</p>`}
      <${Fields} operation=${operation} ...${sending} />
      <${TokenInput} />
      ${operation.body !== undefined && html`<${ReasonInput} ...${sending} />`}
      ${preview !== undefined && html`<div class="preview">${operation.preview?.(preview)}</div>`}
      <output class=${said.tone} role="status">${said.text}</output>
      <p class="buttons">
        <button
          type="submit"
          class="act"
          disabled=${isGone}
          aria-disabled=${isSending}
          onClick=${onlyOnce}
        >
          ${mustLookFirst ? "Preview" : operation.verb}
        </button>
        <button
          type="button"
          ref=${close}
          aria-disabled=${isSending}
          onClick=${() => !isSending && dialog.current?.close()}
        >
          Close
        </button>
      </p>
    </form>
  </dialog>`;
}

function Fields(properties: {
  readonly operation: Operation;
  readonly given: Given;
  readonly setGiven: (given: Given) => void;
}): Markup {
  const { operation, given, setGiven } = properties;
  const inputs = (operation.fields ?? []).map(
    (field) =>
      html`<${FieldInput}
        field=${field}
        value=${given[field.name]}
        onValue=${(value: string) => setGiven({ ...given, [field.name]: value })}
      />`,
  );
  return html`${inputs}`;
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

/** Ignores the second click of a double click: the first may have put another button in this place. */
function onlyOnce(event: MouseEvent): void {
  if (event.detail > 1) event.preventDefault();
}

function hasLostFocus(): boolean {
  const active = document.activeElement;
  return active === null || active.matches("body, dialog, :disabled");
}

function About(properties: {
  readonly about: ReturnType<Operation["about"]>;
  readonly gone: Operation["gone"];
  readonly said: Said;
}): Markup {
  const { about, gone, said } = properties;
  if (about === undefined) {
    // The person who did it in this dialog reads the result below.
    const tone = said.tone === "well" ? "quiet" : "banner warning";
    return html`<p class=${tone}>${gone?.() ?? "It cannot be asked for any more."}</p>`;
  }
  return html`<${Terms} terms=${about} />`;
}
