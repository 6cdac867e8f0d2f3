import { render } from "preact";
import { html } from "./element.ts";
import { App } from "./app.ts";
import { keepFresh } from "./data/store.ts";

const place = document.querySelector("#console");
if (place === null) throw new Error("the page has no place for the console");
place.replaceChildren();
render(html`<${App} />`, place);
void keepFresh();
