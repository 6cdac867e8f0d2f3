/** The page's look: plain, readable in the dark, no file to fetch. */
export const PAGE_STYLE = `
:root { color-scheme: light dark; --line: #8884; --red: #c62828; --amber: #b26a00; --green: #2e7d32; --blue: #1565c0; --grey: #757575; }
body { font: 15px/1.45 system-ui, sans-serif; margin: 0 auto; max-width: 76rem; padding: 1rem; }
header { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 1.5rem; }
header p span { margin-right: 1rem; }
h1 { font-size: 1.4rem; margin: 0; }
h2 { font-size: 1.1rem; margin: 1.6rem 0 .4rem; }
table { border-collapse: collapse; width: 100%; margin-bottom: .8rem; }
th, td { text-align: left; vertical-align: top; padding: .25rem .6rem .25rem 0; border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
th { font-weight: 600; font-size: .85rem; color: var(--grey); }
small { color: var(--grey); }
.quiet { color: var(--grey); }
.badge { border-radius: .6rem; padding: .05rem .55rem; color: #fff; background: var(--grey); white-space: nowrap; }
.badge.firing { background: var(--red); }
.badge.firing.warning, .badge.pending, .badge.propose, .badge.in_doubt, .badge.unverified { background: var(--amber); }
.badge.rejected { background: var(--red); }
.badge.firing.info, .badge.requested, .badge.acknowledged { background: var(--blue); }
.badge.resolved, .badge.verified, .badge.act { background: var(--green); }
.status.disabled, .status.missing { color: var(--red); font-weight: 600; }
.banner { background: var(--red); color: #fff; padding: .5rem .8rem; border-radius: .3rem; }
footer { margin-top: 2rem; }
footer a { margin-right: 1rem; }
`;
