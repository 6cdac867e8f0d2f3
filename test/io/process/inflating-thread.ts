import { parentPort } from "node:worker_threads";
import { packPage, unpackPage } from "../../../src/io/journal/record-pages.ts";

/** A thread that does nothing but unpack a page, again and again. */
const packed = packPage("x".repeat(1_000));
parentPort?.postMessage("begun", []);
for (;;) unpackPage(packed);
