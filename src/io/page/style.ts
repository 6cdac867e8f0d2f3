/** The page's look: plain, readable in the dark and on a phone, no file to fetch. */
export const PAGE_STYLE = `
:root { color-scheme: light dark; --line: #8884; --red: #c62828; --amber: #9a5b00; --green: #2e7d32; --blue: #1565c0; --grey: #666; --quiet: light-dark(#5f5f5f, #a8a8a8); --alarm: light-dark(#c62828, #ff8a80); }
body { font: 15px/1.45 system-ui, sans-serif; margin: 0 auto; max-width: 76rem; padding: 1rem; }
header { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 1.5rem; }
header p { margin: .4rem 0; }
header p span { margin-right: 1rem; }
h1 { font-size: 1.4rem; margin: 0; }
h2 { font-size: 1.1rem; margin: 1.6rem 0 .4rem; }
table { border-collapse: collapse; width: 100%; margin-bottom: .8rem; }
th, td { text-align: left; vertical-align: top; padding: .25rem .8rem .25rem 0; border-bottom: 1px solid var(--line); overflow-wrap: break-word; }
th { font-weight: 600; font-size: .85rem; color: var(--quiet); white-space: nowrap; }
small, .quiet { color: var(--quiet); }
.name { display: block; max-width: 16rem; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
td:first-child, td:nth-child(n+5), td > small { overflow-wrap: anywhere; }
.badge { border-radius: .6rem; padding: .05rem .55rem; color: #fff; background: var(--grey); white-space: nowrap; }
.badge.firing, .badge.rejected, .badge.stopped { background: var(--red); }
.badge.firing.warning, .badge.pending, .badge.held, .badge.propose, .badge.in_doubt, .badge.unverified { background: var(--amber); }
.badge.firing.info, .badge.requested, .badge.acknowledged { background: var(--blue); }
.badge.resolved, .badge.verified, .badge.act { background: var(--green); }
.status.disabled, .status.missing { color: var(--alarm); font-weight: 600; }
.banner { background: var(--red); color: #fff; padding: .5rem .8rem; border-radius: .3rem; }
.banner.calm { background: var(--amber); }
.verdict { margin: .8rem 0; padding: .6rem .9rem; border-radius: .3rem; border-left: .5rem solid var(--grey); background: #8882; }
.verdict strong { display: block; font-size: 1.25rem; }
.verdict span { display: block; }
.verdict.well { border-color: var(--green); }
.verdict.warning { border-color: var(--amber); }
.verdict.bad { border-color: var(--red); }
.runbook { font: inherit; white-space: pre-wrap; overflow-wrap: anywhere; max-width: 60rem; }
footer { margin-top: 2rem; }
footer a { margin-right: 1rem; }
@media (max-width: 46rem) {
  thead { position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden; }
  tr { display: block; border-bottom: 1px solid var(--line); padding: .4rem 0; }
  td { display: grid; grid-template-columns: 7rem minmax(0, 1fr); border: 0; padding: .1rem 0; overflow-wrap: anywhere; }
  td > * { grid-column: 2; justify-self: start; }
  td::before { content: attr(data-head); grid-column: 1; grid-row: 1 / span 3; color: var(--quiet); font-size: .85rem; }
  .name { max-width: 100%; }
}
`;
