/** A report for people, as data: its texts and its drawings. `renderReport` makes one file of it. */
export type Report = {
  readonly title: string;
  /** Sentences; the first sums them up. */
  readonly verdict: readonly string[];
  /** The data that it is based on, shown under the title. */
  readonly basis: readonly string[];
  readonly timeline?: Timeline;
  readonly charts: readonly Chart[];
  readonly tables: readonly ReportTable[];
};

/** A track for each thing that has a past; a span without an end is a mark. */
export type Timeline = {
  readonly title: string;
  readonly from: number;
  readonly until: number;
  readonly label: (at: number) => string;
  readonly tracks: readonly Track[];
};

export type Track = { readonly name: string; readonly spans: readonly Span[] };

export type Span = {
  readonly from: number;
  readonly until?: number;
  readonly tone: Tone;
  readonly text: string;
};

export type Tone = "bad" | "warn" | "good" | "quiet";

/** Bars, the longest first; the parts of one are side by side. */
export type Chart = { readonly title: string; readonly bars: readonly Bar[] };

export type Bar = {
  readonly name: string;
  readonly parts: ReadonlyArray<{
    readonly count: number;
    readonly tone: Tone;
    readonly what: string;
  }>;
};

export type ReportTable = {
  readonly title: string;
  readonly heads: readonly string[];
  readonly rows: ReadonlyArray<readonly string[]>;
};
