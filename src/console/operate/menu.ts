import { useEffect, useRef } from "preact/hooks";
import { html, type Markup } from "../element.ts";
import { overview, shownAt } from "../data/store.ts";
import { ask, type Operation } from "./operation.ts";
import { kill, override, reload, unkill, watch } from "./operations.ts";
import { mayAsk, session, signOut } from "./session.ts";

/** The operations that are about no single thing, and whose token is in use. */
export function OperateMenu(): Markup | undefined {
  const menu = useRef<HTMLDetailsElement>(null);
  const close = (): void => {
    if (menu.current !== null) menu.current.open = false;
  };
  useEffect(() => {
    const onPress = ({ target }: Event): void => {
      if (menu.current?.contains(target as Node) === false) close();
    };
    addEventListener("pointerdown", onPress);
    return () => removeEventListener("pointerdown", onPress);
  }, []);
  const status = overview.value;
  if (status === undefined || status.why_read_only !== null || shownAt.value !== undefined)
    return undefined;
  const open = (operation: Operation) => (): void => {
    close();
    ask(operation);
  };
  const isKilled = status.killed.some(({ source }) => source === "operator");
  const item = (operation: Operation, label: string) =>
    html`<button type="button" onClick=${open(operation)}>${label}</button>`;
  const onKey = ({ key }: KeyboardEvent): void => {
    if (key !== "Escape" || menu.current?.open !== true) return;
    close();
    menu.current.querySelector("summary")?.focus();
  };
  const onLeave = ({ relatedTarget }: FocusEvent): void => {
    if (relatedTarget !== null && menu.current?.contains(relatedTarget as Node) === false) close();
  };
  return html`<details class="menu" ref=${menu} onKeyDown=${onKey} onFocusOut=${onLeave}>
    <summary>${session.value?.name ?? "Operate"}</summary>
    <div>
      ${
        mayAsk("operate") &&
        (isKilled
          ? item(unkill(), "Release the kill switch …")
          : item(kill(), "Stop all actions …"))
      }
      ${
        mayAsk("hold") &&
        html`${item(override("hold", {}), "Hold …")} ${item(override("silence", {}), "Silence …")}`
      }
      ${
        mayAsk("operate") &&
        html`${item(watch("watch"), "Watch one more …")}
        ${item(watch("unwatch"), "Watch no longer …")} ${item(reload(), "Reload …")}`
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
