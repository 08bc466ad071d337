/** The style of the page at `/api/docs`: a separate file, because the CSP forbids inline styles. */
export const docsStyle = `
:root { color-scheme: light dark; --line: #8884; --soft: #8881; --accent: #00776d; }
@media (prefers-color-scheme: dark) { :root { --accent: #4cc9b8; } }
* { box-sizing: border-box; }
body { margin: 0; font: 16px/1.5 system-ui, sans-serif; display: grid; grid-template-columns: 22rem minmax(0, 1fr); }
nav { position: sticky; top: 0; height: 100vh; overflow: auto; padding: 1rem; border-right: 1px solid var(--line); font-size: .85rem; }
nav h2 { font-size: 1rem; margin: 1rem 0 .25rem; }
nav ul { list-style: none; margin: 0; padding: 0; }
nav li { overflow-wrap: anywhere; padding-left: 5em; text-indent: -5em; }
nav b { text-indent: 0; }
nav b { display: inline-block; min-width: 5em; }
main { padding: 1rem 2rem 4rem; max-width: 60rem; }
a { color: var(--accent); }
a:focus-visible { outline: 2px solid var(--accent); }
h2 { margin-top: 3rem; }
section { border: 1px solid var(--line); border-radius: .5rem; padding: 0 1rem 1rem; margin: 1rem 0; scroll-margin-top: 1rem; }
section:target { border-color: var(--accent); }
h3 { overflow-wrap: anywhere; }
h3 b { color: var(--accent); margin-right: .5em; }
h4 { margin: 1rem 0 .25rem; }
small { opacity: .8; }
pre, code { font-family: ui-monospace, monospace; font-size: .875em; }
pre { background: var(--soft); padding: .75rem; border-radius: .5rem; overflow: auto; margin: .25rem 0; }
table { border-collapse: collapse; }
td { border-bottom: 1px solid var(--line); padding: .25rem 1rem .25rem 0; vertical-align: top; }
dl { display: grid; grid-template-columns: 3.5rem minmax(0, 1fr); gap: .25rem; margin: 0; }
dd { margin: 0; overflow-wrap: anywhere; }
@media (max-width: 60rem) {
  body { display: block; }
  nav { position: static; height: auto; max-height: 40vh; border-right: 0; border-bottom: 1px solid var(--line); }
  main { padding: 1rem; }
}
`
