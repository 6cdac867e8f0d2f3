import type { Sample } from "./samples.ts";

const WIDTH = 720;
const HEIGHT = 90;
const LEFT = 110;

const CURVES = [
  ["rss", "RSS, MB", 1e6],
  ["heap", "heap, MB", 1e6],
  ["journal", "journal, MB", 1e6],
  ["entities", "entities", 1],
  ["series", "series", 1],
  ["outbox", "outbox", 1],
] as const;

/** One curve below the other, each from 0 to its own highest. */
export function chart(samples: readonly Sample[]): string {
  const height = CURVES.length * HEIGHT + 30;
  const last = samples.at(-1)?.seconds ?? 1;
  const curves = CURVES.map(([key, title, unit], row) => {
    const most = Math.max(1, ...samples.map((sample) => sample[key]));
    const bottom = (row + 1) * HEIGHT;
    const points = samples.map((sample) => {
      const x = LEFT + (sample.seconds / last) * (WIDTH - LEFT - 10);
      const y = bottom - (sample[key] / most) * (HEIGHT - 25);
      return `${x.toFixed(1)},${y.toFixed(1)}`;
    });
    return [
      `<text x="4" y="${bottom - 40}">${title}</text>`,
      `<text x="4" y="${bottom - 22}">at most ${Math.round(most / unit)}</text>`,
      `<line x1="${LEFT}" x2="${WIDTH - 10}" y1="${bottom}" y2="${bottom}" stroke="#999"/>`,
      `<polyline fill="none" stroke="#06c" stroke-width="1.5" points="${points.join(" ")}"/>`,
    ].join("\n");
  });
  const minutes = `${(last / 60).toFixed(0)} minutes`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="13">`,
    `<rect width="${WIDTH}" height="${height}" fill="#fff"/>`,
    ...curves,
    `<text x="${WIDTH - 10}" y="${height - 10}" text-anchor="end">${minutes}</text>`,
    "</svg>",
    "",
  ].join("\n");
}
