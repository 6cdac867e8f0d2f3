import { useRef } from "preact/hooks";
import { html, type Markup } from "../element.ts";
import { overview, shownAt } from "../data/store.ts";
import { ask, type Operation } from "./operation.ts";
import { kill, override, reload, unkill, watch } from "./operations.ts";
import { mayAsk, session, signOut } from "./session.ts";

/** What can be asked of the whole, and whose token is in use. */
export function OperateMenu(): Markup | undefined {
  const menu = useRef<HTMLDetailsElement>(null);
  const status = overview.value;
  if (status === undefined || status.why_read_only !== null || shownAt.value !== undefined)
    return undefined;
  const open = (operation: Operation) => (): void => {
    if (menu.current !== null) menu.current.open = false;
    ask(operation);
  };
  const isKilled = status.killed.some(({ source }) => source === "operator");
  const item = (operation: Operation, label: string) =>
    html`<button type="button" onClick=${open(operation)}>${label}</button>`;
  return html`<details class="menu" ref=${menu}>
    <summary>${session.value?.name ?? "Operate"}</summary>
    <div>
      ${
        mayAsk("operate") &&
        html`${isKilled ? item(unkill(), "Release the kill switch …") : item(kill(), "Stop all actions …")}
        ${item(override("hold", {}), "Hold …")} ${item(override("silence", {}), "Silence …")}
        ${item(watch("watch"), "Watch one more …")} ${item(watch("unwatch"), "Watch no longer …")}
        ${item(reload(), "Reload …")}`
      }
      ${
        session.value !== undefined &&
        html`<p class="quiet">
          ${session.value.name} may: ${session.value.scopes.join(", ")}.
          <button type="button" onClick=${signOut}>Forget the token</button>
        </p>`
      }
    </div>
  </details>`;
}
