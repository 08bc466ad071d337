export const phonePageStyle = `
:root { color-scheme: light dark; font: 16px/1.4 system-ui, sans-serif; --page: #efeae2; --card: #fff; --ink: #111b21;
  --soft: #54656f; --own: #d9fdd3; --line: #d1d7db; --act: #00695c; --act-ink: #fff; --note: #fff3c4; }
@media (prefers-color-scheme: dark) { :root { --page: #0b141a; --card: #202c33; --ink: #e9edef; --soft: #a9b6bd;
  --own: #005c4b; --line: #3b4a54; --act: #21c063; --act-ink: #0b141a; --note: #4a3f12; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); height: 100dvh; display: flex; flex-direction: column; }
.sandbox { margin: 0; padding: .4rem 1rem; background: var(--note); font-size: .875rem; text-align: center; }
.frame { flex: 1; min-height: 0; display: grid; grid-template-columns: minmax(15rem, 20rem) 1fr; }
nav { background: var(--card); border-inline-end: 1px solid var(--line); overflow: auto; padding: 1rem; }
main { min-width: 0; min-height: 0; display: flex; flex-direction: column; }
h1, h2 { font-size: 1.125rem; margin: 0 0 .5rem; }
ul, ol { list-style: none; margin: 0; padding: 0; }
nav a { display: block; padding: .6rem .5rem; border-radius: .5rem; color: inherit; text-decoration: none; }
nav a:hover, nav a[aria-current] { background: var(--page); }
.number, .preview, .hint, small { color: var(--soft); font-size: .875rem; }
.preview { display: block; overflow: hidden; white-space: nowrap; text-overflow: ellipsis; }
.hint { padding: 1rem 0; margin: 0; }
main > .hint { margin: auto; padding: 1rem; }
header { background: var(--card); border-block-end: 1px solid var(--line); padding: .6rem 1rem; }
header h2, header p { margin: 0; }
.back { display: none; color: inherit; min-height: 2.75rem; align-content: center; }
#thread { flex: 1; overflow: auto; padding: 1rem; display: flex; flex-direction: column; gap: .5rem; }
#thread li { max-width: min(32rem, 85%); background: var(--card); border-radius: .6rem; padding: .5rem .75rem; overflow-wrap: anywhere; }
#thread li.own { align-self: flex-end; background: var(--own); }
#thread li.own small { color: inherit; opacity: .85; }
#thread li.theirs { align-self: flex-start; }
#thread p { margin: 0; white-space: pre-wrap; }
form.actions, fieldset { display: flex; flex-wrap: wrap; gap: .4rem; border: 0; margin: .4rem 0 0; padding: 0; }
.new { display: grid; gap: .6rem; margin-block-start: 1.5rem; border-block-start: 1px solid var(--line); padding-block-start: 1rem; }
.new label { display: grid; gap: .2rem; font-size: .875rem; }
input { font: inherit; color: inherit; background: var(--page); border: 1px solid var(--soft); border-radius: .5rem; padding: .55rem .7rem; width: 100%; }
button { font: inherit; min-height: 2.75rem; padding: 0 .9rem; border-radius: .5rem; border: 1px solid var(--act); background: var(--card); color: inherit; cursor: pointer; }
button.choice, .new button, .composer > button { background: var(--act); color: var(--act-ink); }
::placeholder { color: var(--soft); opacity: 1; }
:focus-visible { outline: 3px solid var(--act); outline-offset: 2px; }
.composer { display: grid; grid-template-columns: 1fr auto; gap: .5rem; padding: .75rem; background: var(--card); border-block-start: 1px solid var(--line); }
.composer fieldset { grid-column: 1 / -1; margin: 0; }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
@media (max-width: 45rem) {
  .frame { grid-template-columns: 1fr; }
  .in-chat nav, .in-list main { display: none; }
  .back { display: inline-block; }
}
`
