/** Which rows of a long list are to be drawn: those that can be seen, and some more on each side. */
type Visible = { readonly from: number; readonly until: number };

/** So many rows more on each side, so that a quick scroll shows no gap. */
const MARGIN_ROWS = 12;

export function visibleRows(options: {
  readonly rows: number;
  readonly rowHeight: number;
  /** How far the list begins above the upper edge of what is seen; negative if below it. */
  readonly above: number;
  readonly height: number;
}): Visible {
  const { rows, rowHeight, above, height } = options;
  const first = Math.floor(above / rowHeight) - MARGIN_ROWS;
  const last = Math.ceil((above + height) / rowHeight) + MARGIN_ROWS;
  const from = Math.min(Math.max(0, first), rows);
  return { from, until: Math.max(from, Math.min(rows, last)) };
}
