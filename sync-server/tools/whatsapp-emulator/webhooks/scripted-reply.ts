import { unreachable } from '../../../../schema/helpers/assertions.ts'
import { toBusinessScopedId } from '../customers/canonical-wa-id.ts'
import { findCustomer } from '../customers/customers.ts'
import { sampleFiles } from '../customers/sample-files.ts'
import type { ReplyKind } from '../customers/scripts.ts'
import type { Emulation } from '../state/emulation.ts'
import type { SentMessage } from '../state/emulator-state.ts'
import { attachFile, deliverMessage, type Incoming } from './receive-message.ts'
import { describeError } from './webhook-values.ts'

/** A scripted person's reply to a message. */
export function sendReply(emulation: Emulation, message: SentMessage, kind: ReplyKind) {
  const { customer, phoneNumberId } = message
  const from = { from: customer.digits, phoneNumberId }
  const say = (incoming: Omit<Incoming, 'from' | 'phoneNumberId'>) =>
    deliverMessage(emulation, { ...from, ...incoming })
  const sayLater = (times: number, work: () => void) =>
    emulation.clock.at(emulation.clock.now() + times * emulation.config.latencies.replyMs, work)
  const attach = (name: keyof typeof sampleFiles) => {
    const { filename, ...file } = sampleFiles[name]()
    return { filename, file: attachFile(emulation, { ...file, phoneNumberId }) }
  }
  const replyTo = message.wamid
  switch (kind) {
    case 'text':
      return say({ type: 'text', content: { body: readText(message) }, replyTo })
    case 'image':
      return say({ type: 'image', content: { ...attach('image').file, caption: 'From here' } })
    case 'voice':
      return say({ type: 'audio', content: { ...attach('voice').file, voice: true } })
    case 'document': {
      const { file, filename } = attach('document')
      return say({ type: 'document', content: { ...file, filename } })
    }
    case 'location':
      return say({ type: 'location', content: somewhere })
    case 'contacts':
      return say({ type: 'contacts', content: [somebody] })
    case 'press':
      return say({ type: 'interactive', content: pressFirst(message), replyTo })
    case 'template press':
      return say({ type: 'button', content: pressTemplate(emulation, message), replyTo })
    case 'reaction':
      say({ type: 'reaction', content: { message_id: message.wamid, emoji: '👍' } })
      return sayLater(1, () => {
        say({ type: 'reaction', content: { message_id: message.wamid, emoji: '' } })
      })
    case 'unsupported':
      return say({
        type: 'unsupported',
        content: { type: 'poll_creation' },
        more: { errors: [describeError(131051)] },
      })
    case 'new number':
      return changeNumber(emulation, message)
    case 'edit and revoke': {
      const { wamid } = say({ type: 'text', content: { body: 'First words' } })
      sayLater(1, () => {
        const changed = { type: 'text', text: { body: 'Other words' } }
        say({ type: 'edit', content: { original_message_id: wamid, message: changed } })
      })
      return sayLater(2, () => {
        say({ type: 'revoke', content: { original_message_id: wamid } })
      })
    }
    default:
      return unreachable(kind)
  }
}

const somewhere = {
  latitude: 52.5163,
  longitude: 13.3777,
  name: 'Brandenburger Tor',
  address: 'Pariser Platz, Berlin',
}

const somebody = {
  name: { formatted_name: 'Ben Miller', first_name: 'Ben', last_name: 'Miller' },
  phones: [{ phone: '+1 555 555 0101', wa_id: '15555550101', type: 'CELL' }],
  emails: [{ email: 'ben@example.org', type: 'WORK' }],
}

function readText({ request }: SentMessage): string {
  const { text } = request as { text?: { body?: string } }
  return text?.body ?? 'Thank you'
}

interface SentInteractive {
  action?: {
    buttons?: { reply: { id: string; title: string } }[]
    sections?: { rows: { id: string; title: string; description?: string }[] }[]
  }
}

/** The answer of a person who presses the first button, or picks the first row. */
function pressFirst({ request }: SentMessage) {
  const { action } = (request.interactive ?? {}) as SentInteractive
  const button = action?.buttons?.[0]
  if (button) return { type: 'button_reply', button_reply: button.reply }
  return { type: 'list_reply', list_reply: action?.sections?.[0]?.rows[0] }
}

interface SentTemplate {
  name?: string
  language?: { code: string }
  components?: { type: string; sub_type?: string; parameters?: { payload?: string }[] }[]
}

function pressTemplate({ state }: Emulation, { request }: SentMessage) {
  const { name, language, components } = (request.template ?? {}) as SentTemplate
  const template = state.templates.find(
    (one) => one.name === name && one.language === language?.code,
  )
  const buttons = template?.components.flatMap((component) => component.buttons ?? []) ?? []
  const text = buttons.find(({ type }) => type === 'QUICK_REPLY')?.text ?? 'OK'
  const own = components?.find((component) => component.sub_type === 'quick_reply')
  return { payload: own?.parameters?.[0]?.payload ?? text, text }
}

/** The person keeps the thread and changes their number. */
function changeNumber(emulation: Emulation, { customer, phoneNumberId }: SentMessage) {
  const digits = `${customer.digits.slice(0, -2)}99`
  const body = `User A changed from ${customer.digits} to ${digits}`
  deliverMessage(emulation, {
    from: customer.digits,
    phoneNumberId,
    type: 'system',
    content: {
      body,
      wa_id: digits,
      user_id: toBusinessScopedId(digits),
      type: 'user_changed_number',
    },
  })
  findCustomer(emulation, digits, customer.name)
  emulation.clock.at(emulation.clock.now() + emulation.config.latencies.replyMs, () => {
    deliverMessage(emulation, {
      from: digits,
      phoneNumberId,
      type: 'text',
      content: { body: 'This is my new number' },
    })
  })
}
