// The script of the status page, served as it is. It refreshes the page every few seconds, and lets a
// person decide proposals. The page works without it: then it reloads as a whole, and shows the commands
// only. The token stays in a variable of this page: it is in no storage, cookie or address, and is sent
// only as a header of the one call, so no other site can make a browser send it.

const REFRESH_MS = 5_000;
/** The time-out of a call, in milliseconds. */
const ANSWER_MS = 15_000;

/** @type {string | undefined} */
let token;
/** What the dialog decides; undefined while it is closed. @type {Decision | undefined} */
let asked;
let isSending = false;

/**
 * `digest`: of what the page showed when the button was pressed; what is shown later is not approved by it.
 * @typedef {{ readonly proposal: string, readonly digest: string, readonly decision: "approve" | "deny" }} Decision
 */

/**
 * An element that the page is known to have.
 * @template {Element} Kind
 * @param {string} selector
 * @param {new () => Kind} kind
 * @returns {Kind}
 */
function the(selector, kind) {
  const found = document.querySelector(selector);
  if (found instanceof kind) return found;
  throw new Error(`the page has no ${selector}`);
}

const dialog = the("#decide", HTMLDialogElement);
const form = the("#decide form", HTMLFormElement);
const tokenField = the("#decide-token", HTMLInputElement);
const reasonField = the("#decide-reason", HTMLInputElement);
const send = the("#decide-send", HTMLButtonElement);
const answer = the("#decide-answer", HTMLOutputElement);
const lost = the("#lost", HTMLElement);

/** @param {string} text @param {"well" | "bad" | ""} tone */
function showAnswer(text, tone) {
  answer.textContent = text;
  answer.className = tone;
}

/** @param {Element} button @returns {Decision | undefined} */
function decisionOf(button) {
  const proposal = button.getAttribute("data-proposal");
  const digest = button.getAttribute("data-digest");
  const decision = button.getAttribute("data-decision");
  if (proposal === null || digest === null || (decision !== "approve" && decision !== "deny"))
    return undefined;
  return { proposal, digest, decision };
}

/** @param {Decision} decision @returns {HTMLButtonElement | undefined} */
function buttonOf({ proposal, digest, decision }) {
  const own = `[data-proposal="${CSS.escape(proposal)}"][data-digest="${CSS.escape(digest)}"][data-decision="${decision}"]`;
  return document.querySelector(`#live button${own}`) ?? undefined;
}

/** The buttons need this script, so the server sends them hidden. */
function showButtons() {
  for (const button of document.querySelectorAll("#live button[data-proposal]")) {
    button.removeAttribute("hidden");
  }
}

/** Shows what the table says of the proposal now, so that no decision rests on outdated facts. */
function describeAsked() {
  if (asked === undefined) return;
  const row = buttonOf(asked)?.closest("tr");
  const about = the("#decide-about", HTMLElement);
  if (row === undefined || row === null) {
    about.textContent = `${asked.proposal} does not wait for this decision any more.`;
    send.disabled = true;
    return;
  }
  // The last column holds the buttons.
  const cells = [...row.querySelectorAll("td")].slice(0, -1);
  about.replaceChildren(
    ...cells.flatMap((cell) => {
      const head = document.createElement("dt");
      head.textContent = cell.getAttribute("data-head");
      const text = document.createElement("dd");
      text.append(...[...cell.childNodes].map((node) => node.cloneNode(true)));
      return [head, text];
    }),
  );
  send.disabled = isSending;
}

/** @param {Decision} decision */
function ask(decision) {
  asked = decision;
  const word = decision.decision === "approve" ? "Approve" : "Deny";
  the("#decide-title", HTMLElement).textContent = `${word} ${decision.proposal}`;
  send.textContent = word;
  tokenField.required = token === undefined;
  tokenField.placeholder = token === undefined ? "" : "the one you gave before";
  showAnswer("", "");
  describeAsked();
  dialog.showModal();
}

/** Sends the decision once. A second press while it is under way does nothing. */
async function decide() {
  if (asked === undefined || isSending) return;
  const { proposal, digest, decision } = asked;
  const reason = reasonField.value;
  if (tokenField.value.trim() !== "") token = tokenField.value.trim();
  tokenField.value = "";
  isSending = true;
  send.disabled = true;
  showAnswer("Sending …", "");
  try {
    const reply = await fetch(`/api/v1/proposals/${encodeURIComponent(proposal)}/${decision}`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify(decision === "approve" ? { reason, digest } : { reason }),
      credentials: "omit",
      redirect: "error",
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    showReply(reply.status, await reply.json());
  } catch (error) {
    showAnswer(
      `No answer: ${String(error)}. Look at the page whether it was done, before you try again.`,
      "bad",
    );
  } finally {
    isSending = false;
    await refresh();
  }
}

/** @param {number} status @param {{ detail?: string, durable?: boolean, error?: string, problems?: string[] }} body */
function showReply(status, body) {
  if (status === 200) {
    const forgets = body.durable === false ? " It is not on disk: a restart forgets it." : "";
    showAnswer(`Done: ${body.detail}.${forgets}`, "well");
    reasonField.value = "";
    return;
  }
  if (status === 401) {
    token = undefined;
    tokenField.required = true;
    tokenField.placeholder = "";
  }
  const problems = (body.problems ?? []).join("; ");
  showAnswer(
    `Refused (${status}): ${body.error ?? ""}${problems === "" ? "" : `: ${problems}`}`,
    "bad",
  );
}

/** Refreshes the page; if that fails, says since when it is outdated. */
async function refresh() {
  try {
    const reply = await fetch("/", { cache: "no-store", signal: AbortSignal.timeout(ANSWER_MS) });
    if (!reply.ok) throw new Error(`status ${reply.status}`);
    const fresh = new DOMParser().parseFromString(await reply.text(), "text/html");
    const live = fresh.querySelector("#live");
    if (live === null) throw new Error("the answer is not the status page");
    const focused =
      document.activeElement === null ? undefined : decisionOf(document.activeElement);
    the("#live", HTMLElement).replaceWith(live);
    document.title = fresh.title;
    lost.hidden = true;
    showButtons();
    if (focused !== undefined) buttonOf(focused)?.focus();
  } catch (error) {
    if (lost.hidden) {
      const since = new Date().toISOString().slice(0, 19).replace("T", " ");
      lost.textContent = `What is below is old: aggwatch does not answer since ${since} UTC (${String(error)}).`;
      document.title = "(?) aggwatch does not answer";
      lost.hidden = false;
    }
  }
  describeAsked();
}

document.addEventListener("click", ({ target }) => {
  const button = target instanceof Element ? target.closest("button[data-proposal]") : null;
  const decision = button === null ? undefined : decisionOf(button);
  if (decision !== undefined) ask(decision);
});
form.addEventListener("submit", (event) => {
  event.preventDefault();
  void decide();
});
the("#decide-close", HTMLButtonElement).addEventListener("click", () => dialog.close());
dialog.addEventListener("close", () => {
  asked = undefined;
  tokenField.value = "";
});

showButtons();

/** One refresh at a time, however slow the server is. */
async function refreshForEver() {
  for (;;) {
    await new Promise((resolve) => {
      setTimeout(resolve, REFRESH_MS);
    });
    await refresh();
  }
}
void refreshForEver();
