import { toCanonicalWaId } from '../customers/canonical-wa-id.ts'
import { listPlaceholders } from '../graph/check-template.ts'
import type { Emulation } from '../state/emulation.ts'
import type { Customer, ReceivedMessage, SentMessage } from '../state/emulator-state.ts'

const scripted = [
  ['15555550100', 'reads everything'],
  ['15555550102', 'gets it, never reads'],
  ['15555550110', 'cannot be reached'],
  ['15555550140', 'echoes what you write'],
  ['15555550146', 'presses the first button'],
  ['15555550150', 'has no visible number'],
] as const

/** The whole page: the people on the left, and the selected one's phone. */
export function drawPhonePage(emulation: Emulation, person: string): string {
  const { state } = emulation
  const known = [...state.customers.values()]
  const shown = known.find(({ waId }) => waId === toCanonicalWaId(person))
  const title = shown ? `${shown.name} · WhatsApp emulator` : 'WhatsApp emulator'
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="stylesheet" href="./phone.css">
<script src="./phone.js" defer></script>
</head>
<body class="${shown || person ? 'in-chat' : 'in-list'}">
<p class="sandbox">Sandbox: nothing here reaches WhatsApp.${state.subscriptions.isVerified ? '' : ' No server listens for webhooks yet.'}</p>
<div class="frame">
<nav aria-label="Customers">
<h1>Customers</h1>
<ul id="people">${known.map((one) => drawPerson(emulation, one, one === shown)).join('')}</ul>
${known.length === 0 ? '<p class="hint">Nobody has written yet. Be the first customer:</p>' : ''}
${drawNewCustomer()}
</nav>
<main>${shown ? drawPhone(emulation, shown) : drawNobody(person)}</main>
</div>
</body>
</html>`
}

function drawNobody(person: string): string {
  const words = person
    ? `Nobody with the number +${person} has written yet.`
    : 'Choose a customer, or write as a new one.'
  return `<p class="hint">${words}</p>`
}

function drawPerson(emulation: Emulation, customer: Customer, isShown: boolean): string {
  const last = listThread(emulation, customer).at(-1)
  return `<li><a href="./?person=${customer.digits}#last"${isShown ? ' aria-current="page"' : ''}>
<strong>${escapeHtml(customer.name)}</strong> <span class="number">+${customer.digits}</span>
<span class="preview">${last ? escapeHtml(describeEntry(emulation, last)) : 'No messages yet'}</span></a></li>`
}

function drawNewCustomer(): string {
  const options = scripted
    .map(([digits, what]) => `<option value="+${digits}">${what}</option>`)
    .join('')
  return `<form method="post" action="./phone" class="new">
<h2>New customer</h2>
<input type="hidden" name="do" value="say">
<label>Phone number <input name="person" inputmode="tel" required pattern="\\+?[\\d \\(\\)\\-]{7,24}" list="scripted" placeholder="+1 555 555 0100"></label>
<datalist id="scripted">${options}</datalist>
<label>Name <input name="name" autocomplete="off" placeholder="Ann"></label>
<label>First message <input name="text" required autocomplete="off" value="Hello"></label>
<button>Send</button>
</form>`
}

function drawPhone(emulation: Emulation, customer: Customer): string {
  const thread = listThread(emulation, customer)
  const items = thread.map((entry, index) =>
    drawEntry(emulation, customer, { entry, isLast: index === thread.length - 1 }),
  )
  return `<header><a class="back" href="./">All customers</a>
<h2>${escapeHtml(customer.name)}</h2><p class="number">+${customer.digits}</p></header>
<ol id="thread" aria-label="Messages" aria-live="polite">${items.join('')}</ol>
<form method="post" action="./phone" class="composer">
<input type="hidden" name="person" value="${customer.digits}">
<label class="words"><span class="hidden">Message to the business</span><input name="text" autocomplete="off" placeholder="Write as ${escapeHtml(customer.name)}"></label>
<button name="do" value="say">Send</button>
<fieldset><legend class="hidden">Send something else</legend>
<button name="do" value="photo">Photo</button>
<button name="do" value="voice">Voice</button>
<button name="do" value="document">Document</button>
<button name="do" value="location">Location</button>
</fieldset>
</form>`
}

type Entry = { at: number } & ({ sent: SentMessage } | { received: ReceivedMessage })

/** Both directions, in chronological order. */
function listThread({ state }: Emulation, customer: Customer): Entry[] {
  const sent = state.sent
    .filter((one) => one.customer === customer)
    .map((one) => ({ at: one.acceptedAt, sent: one }))
  const received = state.received
    .filter((one) => one.customer === customer)
    .map((one) => ({ at: one.at, received: one }))
  return [...sent, ...received].sort((a, b) => a.at - b.at)
}

function drawEntry(
  emulation: Emulation,
  customer: Customer,
  { entry, isLast }: { entry: Entry; isLast: boolean },
): string {
  const time = new Date(entry.at).toISOString()
  const stamp = `<time datetime="${time}">${time.slice(11, 16)} UTC</time>`
  const words = `<p>${escapeHtml(describeEntry(emulation, entry))}</p>`
  const last = isLast ? ' id="last"' : ''
  if ('received' in entry) {
    const tick = entry.received.isRead ? '✓✓ read' : '✓ sent'
    return `<li class="own"${last}>${words}<small>${stamp} ${tick}</small></li>`
  }
  const { sent } = entry
  const status = sent.statuses.at(-1)?.status ?? 'accepted'
  const isRead = sent.statuses.some((one) => one.status === 'read')
  const actions = [
    ...drawChoices(emulation, sent),
    drawAction({ do: 'react', label: 'React 👍' }),
    isRead ? '' : drawAction({ do: 'read', label: 'Mark as read' }),
  ]
  return `<li class="theirs"${last}><span class="hidden">The business:</span>${words}<small>${stamp} ${status}</small>
<form method="post" action="./phone" class="actions">
<input type="hidden" name="person" value="${customer.digits}">
<input type="hidden" name="about" value="${escapeHtml(sent.wamid)}">
<input type="hidden" name="number" value="${sent.phoneNumberId}">${actions.join('')}</form></li>`
}

function drawAction({ do: what, label }: { do: string; label: string }): string {
  return `<button name="do" value="${what}">${escapeHtml(label)}</button>`
}

interface Choosable {
  interactive?: {
    action?: {
      buttons?: { reply: { id: string; title: string } }[]
      sections?: { rows: { id: string; title: string }[] }[]
    }
  }
  template?: { name: string; language: { code: string } }
}

/** Each choice is its own form: its id and words are sent with the press. */
function drawChoices({ state }: Emulation, { request }: SentMessage): string[] {
  const { interactive, template } = request as Choosable
  const { buttons = [], sections = [] } = interactive?.action ?? {}
  const presses = buttons.map(({ reply }) => ({ what: 'press', ...reply }))
  const picks = sections.flatMap(({ rows }) => rows.map((row) => ({ what: 'pick', ...row })))
  const stored = state.templates.find(
    (one) => one.name === template?.name && one.language === template.language.code,
  )
  const quick = (stored?.components ?? [])
    .flatMap((component) => component.buttons ?? [])
    .filter(({ type }) => type === 'QUICK_REPLY')
    .map(({ text }) => ({ what: 'press-template', id: text, title: text }))
  return [...presses, ...picks, ...quick].map(({ what, id, title }) => {
    const query = new URLSearchParams({ do: what, id, title })
    return `<button class="choice" name="choice" value="${escapeHtml(query.toString())}">${escapeHtml(title)}</button>`
  })
}

/** A message in one line. */
function describeEntry(emulation: Emulation, entry: Entry): string {
  if ('sent' in entry) return describeContent(emulation, entry.sent.type, entry.sent.request)
  return describeContent(emulation, entry.received.message.type, entry.received.message)
}

interface Describable {
  text?: { body?: string }
  interactive?: {
    body?: { text?: string }
    button_reply?: { title?: string }
    list_reply?: { title?: string }
  }
  button?: { text?: string }
  reaction?: { emoji?: string }
  template?: {
    name: string
    language: { code: string }
    components?: { type: string; parameters?: { text?: string; parameter_name?: string }[] }[]
  }
}

function describeContent({ state }: Emulation, type: string, given: unknown): string {
  const content = given as Describable & Record<string, { caption?: string; filename?: string }>
  const { interactive, template } = content
  if (type === 'text') return content.text?.body ?? ''
  if (type === 'button') return content.button?.text ?? ''
  if (type === 'reaction') return `Reaction ${content.reaction?.emoji || 'removed'}`
  if (interactive) {
    const { body, button_reply, list_reply } = interactive
    return body?.text ?? button_reply?.title ?? list_reply?.title ?? 'Interactive message'
  }
  if (template) {
    const stored = state.templates.find(
      (one) => one.name === template.name && one.language === template.language.code,
    )
    const text = stored?.components.find((component) => component.type === 'BODY')?.text ?? ''
    const own = template.components?.find((component) => component.type === 'body')?.parameters
    return fill(text, own ?? []) || `Template ${template.name}`
  }
  const { caption, filename } = content[type] ?? {}
  return [`[${type}]`, filename, caption].filter(Boolean).join(' ')
}

function fill(text: string, parameters: { text?: string; parameter_name?: string }[]): string {
  return listPlaceholders(text).reduce((filled, name, index) => {
    const own = parameters.find((one) => one.parameter_name === name) ?? parameters[index]
    return filled.replaceAll(`{{${name}}}`, own?.text ?? `{{${name}}}`)
  }, text)
}

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (letter) => entities[letter] ?? letter)
}
