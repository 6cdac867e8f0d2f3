import { parentPort } from "node:worker_threads";
import { packPage, unpackPage } from "../../../src/io/journal/record-pages.ts";

/** A thread that does nothing but pack a page and unpack it, again and again. */
const page = "x".repeat(130);
parentPort?.postMessage("begun", []);
for (;;) unpackPage(packPage(page));
