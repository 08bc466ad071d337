import type { Trace, TraceEvent } from './trace.ts'

/** Vertical room of an event, in pixels: time is drawn by order, so that bursts stay readable. */
const rowPx = 26
const leftPx = 150

const escapeText = (text: string) => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`)

/**
 * One self-contained page: devices and the server as lines, requests as arrows, faults marked, and
 * what each device held at every step.
 */
export function drawPage(options: {
  title: string
  broken: readonly string[]
  trace: Trace
  command?: string | undefined
}): string {
  const { title, broken, trace, command } = options
  const lanes = [...trace.devices, 'server']
  const laneGapPx = lanes.length > 4 ? 160 : 240
  const xOf = (lane: string) => leftPx + Math.max(0, lanes.indexOf(lane)) * laneGapPx
  const serverX = xOf('server')
  const { rows, countOf } = gatherRepeats(
    trace.events.filter((_event, index) => !isSameLook(trace.events, index)),
  )
  const yOf = (row: number) => 60 + row * rowPx
  const rowAt = (at: number) => {
    const after = rows.findIndex((row) => row.at >= at)
    return after === -1 ? rows.length : after
  }
  const height = yOf(rows.length + 1)
  const width = serverX + 180

  const drawn = rows.map((event, row) => {
    const y = yOf(row)
    if (event.kind === 'look') return drawLook(event, row, y)
    if (event.kind === 'step') {
      const x = event.device ? xOf(event.device) : leftPx
      const name = event.n < 0 ? event.what : `${event.n} ${event.what}`
      return `<g class="step"><circle cx="${x}" cy="${y}" r="5"/><text x="${x - 10}" y="${y + 4}" text-anchor="end">${escapeText(name)}</text></g>`
    }
    const x = xOf(event.device)
    if (event.kind === 'frame') {
      const [from, to] = event.way === 'there' ? [x, serverX] : [serverX, x]
      return drawArrow({
        from,
        to,
        y,
        until: y + rowPx / 2,
        kind: 'frame',
        told: event.what,
        fault: undefined,
      })
    }
    const end = event.until === undefined ? y : Math.max(yOf(rowAt(event.until)), y + rowPx / 2)
    const count = countOf.get(event) ?? 1
    const answer = event.status === undefined ? '' : ` → ${event.status}`
    const told = `${event.what}${answer}${count > 1 ? ` × ${count}` : ''}`
    const { fault } = event
    const isAnswered = event.status !== undefined && !fault?.includes('lo')
    const there = drawArrow({
      from: x,
      to: serverX,
      y,
      until: y + rowPx / 3,
      kind: 'request',
      told,
      fault,
    })
    return isAnswered
      ? there +
          drawArrow({
            from: serverX,
            to: x,
            y: end,
            until: end + rowPx / 3,
            kind: 'answer',
            told: '',
            fault: undefined,
          })
      : there
  })

  function drawLook(event: Extract<TraceEvent, { kind: 'look' }>, row: number, y: number) {
    const dots = trace.devices.map((device) => {
      const held = event.held[device]
      const told = JSON.stringify(held ?? null, null, 1)
      return `<g class="look" tabindex="0" data-held="${escapeText(`${device} after this:\n${told}`)}"><rect x="${xOf(device) - 6}" y="${y - 6}" width="12" height="12"/><text x="${xOf(device) + 12}" y="${y + 4}">${held ? Object.keys(held).length : '–'}</text></g>`
    })
    return `<g data-row="${row}">${dots.join('')}</g>`
  }

  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escapeText(title)}</title>
<style>
:root{color-scheme:light dark;--ink:light-dark(#1c2733,#dfe7ee);--quiet:light-dark(#6b7a88,#8fa0ae);--paper:light-dark(#fff,#12181e);--bad:light-dark(#b3261e,#ff8a80);--line:light-dark(#2563a8,#7db7f0)}
body{margin:0;font:14px/1.45 system-ui,sans-serif;color:var(--ink);background:var(--paper)}
header{padding:16px 24px;max-width:90ch}h1{font-size:20px;margin:0 0 8px}.broken{color:var(--bad);font-weight:600;margin:0 0 8px;padding-left:18px}
code{font:13px ui-monospace,monospace;user-select:all;white-space:pre-wrap}main{display:flex;gap:16px;align-items:flex-start}
.picture{overflow-x:auto;flex:1}pre{position:sticky;top:16px;margin:0 24px 0 0;min-width:260px;max-width:34vw;white-space:pre-wrap;overflow-wrap:anywhere;font:12px/1.4 ui-monospace,monospace;border:1px solid var(--quiet);border-radius:8px;padding:12px}
svg text{font:12px system-ui,sans-serif;fill:var(--ink)}.lane{stroke:var(--quiet);stroke-width:1}.head{font-weight:600}
.step circle{fill:var(--ink)}.arrow line{stroke:var(--line);stroke-width:1.5;marker-end:url(#tip)}.arrow text{fill:var(--quiet)}
.arrow.frame line{stroke-dasharray:2 3}.arrow.answer line{stroke-dasharray:6 4}.arrow.fault line{stroke:var(--bad);marker-end:url(#bad)}.arrow.fault text{fill:var(--bad)}
.look rect{fill:var(--paper);stroke:var(--ink)}.look{cursor:pointer}.look:hover rect,.look:focus rect{fill:var(--line)}.look:focus{outline:none}.look text{fill:var(--quiet)}
@media(max-width:800px){main{display:block}pre{position:sticky;top:0;max-width:none;margin:0 16px;background:var(--paper);max-height:30vh;overflow:auto}}
</style>
<header><h1>${escapeText(title)}</h1><ul class="broken">${broken.map((one) => `<li>${escapeText(one)}</li>`).join('')}</ul>
${command ? `<p>Again: <code>${escapeText(command)}</code></p>` : ''}
<p>Time goes down. A square is what a device held after a step: point at it, or reach it with Tab. Dashed arrows are answers, red ones met a fault.</p></header>
<main><div class="picture"><svg width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escapeText(title)}">
<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0 8 4 0 8z" fill="context-stroke"/></marker><marker id="bad" viewBox="0 0 8 8" refX="4" refY="4" markerWidth="8" markerHeight="8"><path d="M1 1 7 7M7 1 1 7" stroke="#d33" stroke-width="1.6"/></marker></defs>
${lanes.map((lane) => `<line class="lane" x1="${xOf(lane)}" y1="40" x2="${xOf(lane)}" y2="${height}"/><text class="head" x="${xOf(lane)}" y="26" text-anchor="middle">${escapeText(lane)}</text>`).join('\n')}
${drawn.join('\n')}
</svg></div><pre id="held">Point at a square.</pre></main>
<script>
const shown = document.getElementById('held')
for (const look of document.querySelectorAll('.look'))
  for (const event of ['mouseenter', 'focus', 'click'])
    look.addEventListener(event, () => { shown.textContent = look.dataset.held })
</script></html>
`
}

function drawArrow(arrow: {
  from: number
  to: number
  y: number
  until: number
  kind: 'request' | 'answer' | 'frame'
  told: string
  fault: string | undefined
}): string {
  const { from, to, y, until, kind, told, fault } = arrow
  // What never arrives ends on the way.
  const isStopped =
    fault !== undefined && /lost|gone|no network|line broke|answer$|^answer/.test(fault)
  const end = isStopped ? from + (to - from) * 0.55 : to
  const words = fault === undefined ? told : `${told} ⚡ ${fault}`
  const text = words.length > 70 ? `${words.slice(0, 68)}…` : words
  return `<g class="arrow ${kind}${fault === undefined ? '' : ' fault'}"><title>${escapeText(words)}</title><line x1="${from}" y1="${y}" x2="${end}" y2="${until}"/><text x="${Math.min(from, to) + 12}" y="${y - 4}">${escapeText(text)}</text></g>`
}

/** Of requests that are alike, with nothing else between them that a person would notice, the first, and how many. */
function gatherRepeats(events: readonly TraceEvent[]) {
  const countOf = new Map<TraceEvent, number>()
  let firsts = new Map<string, TraceEvent>()
  const rows = events.filter((event) => {
    if (event.kind !== 'request' || event.fault !== undefined) {
      firsts = new Map()
      return true
    }
    const name = JSON.stringify([event.device, event.what, event.status])
    const first = firsts.get(name) ?? event
    firsts.set(name, first)
    countOf.set(first, (countOf.get(first) ?? 0) + 1)
    return first === event
  })
  return { rows, countOf }
}

/** Nothing has changed since the look before. */
function isSameLook(events: readonly TraceEvent[], index: number): boolean {
  const event = events[index]
  // The last one is what was broken.
  const isLast = !events.slice(index + 1).some(({ kind }) => kind === 'look')
  if (event?.kind !== 'look' || isLast) return false
  const before = events.slice(0, index).findLast(({ kind }) => kind === 'look')
  return before?.kind === 'look' && JSON.stringify(before.held) === JSON.stringify(event.held)
}
