/** The styles of the console's page. */
export const PAGE_STYLE = `
:root { color-scheme: light dark; --line: color-mix(in srgb, currentcolor 20%, transparent); }
* { box-sizing: border-box; }
body {
  display: grid; grid-template: auto minmax(0, 1fr) / minmax(11rem, 20rem) minmax(0, 1fr);
  height: 100dvh; margin: 0; font: 15px/1.45 system-ui, sans-serif;
}
header { grid-column: 1 / -1; display: flex; gap: 1rem; align-items: baseline; padding: .6rem 1rem; border-bottom: 1px solid var(--line); }
h1 { margin: 0; font-size: 1.1rem; }
header p { margin: 0; opacity: .75; }
nav { overflow-y: auto; padding: .5rem; border-right: 1px solid var(--line); }
nav button { display: block; width: 100%; padding: .35rem .5rem; border: 0; border-radius: .4rem; background: none; color: inherit; font: inherit; text-align: start; cursor: pointer; overflow-wrap: anywhere; }
nav button.thread { padding-inline-start: 1.6rem; }
nav button:hover, nav button[aria-current="true"] { background: var(--line); }
nav small { opacity: .7; }
main { display: flex; flex-direction: column; min-height: 0; }
ol { flex: 1; overflow-y: auto; margin: 0; padding: 1rem; list-style: none; }
li { max-width: 46rem; margin: 0 0 .8rem; }
li.bot { border-inline-start: 3px solid #4a7dff; padding-inline-start: .7rem; }
li p { margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; }
li small { opacity: .7; }
li button.choice { margin: .4rem .4rem 0 0; padding: .3rem .8rem; font: inherit; overflow-wrap: anywhere; }
li a { display: block; width: fit-content; margin-top: .3rem; overflow-wrap: anywhere; }
li img { display: block; max-width: min(20rem, 100%); max-height: 15rem; }
#problem { margin: 0; padding: .5rem 1rem; color: #b3261e; }
form { display: flex; flex-wrap: wrap; gap: .6rem; align-items: end; padding: .7rem 1rem; border-top: 1px solid var(--line); }
details { max-height: 45dvh; overflow-y: auto; padding: .5rem 1rem; border-top: 1px solid var(--line); overflow-wrap: anywhere; }
details li { max-width: none; margin: 0 0 .4rem; }
textarea { flex: 1 1 100%; font: inherit; resize: vertical; }
@media (max-width: 40rem) {
  body { grid-template: auto auto minmax(0, 1fr) / minmax(0, 1fr); }
  nav { max-height: 30dvh; border-right: 0; border-bottom: 1px solid var(--line); }
}
`;
