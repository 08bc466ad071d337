import * as z from 'zod/mini'
import { findByBsuid, findCustomer, hasOpenWindow } from '../customers/customers.ts'
import { refuseByScript } from '../customers/refuse-by-script.ts'
import { findScript, type Script } from '../customers/scripts.ts'
import type { Emulation } from '../state/emulation.ts'
import type { BusinessNumber, Customer, SentMessage } from '../state/emulator-state.ts'
import { findMedia } from '../state/media-store.ts'
import type { Rule } from '../state/rules.ts'
import { sendReply } from '../webhooks/scripted-reply.ts'
import { planStatuses, scheduleStatuses, sendEarly } from '../webhooks/send-statuses.ts'
import { GraphFault } from '../wire/graph-fault.ts'
import type { TemplateSend } from '../wire/message-shapes.ts'
import { checkTemplate } from './check-template.ts'
import { type GraphCall, type GraphReply, succeed } from './graph-call.ts'
import { type ParsedSend, parseSend } from './parse-send.ts'
import { readJsonBody } from './read-json-body.ts'

const readMark = z.strictObject({
  messaging_product: z.literal('whatsapp'),
  status: z.literal('read'),
  message_id: z.string(),
  typing_indicator: z.optional(z.strictObject({ type: z.literal('text') })),
})

interface MaybeMedia {
  id?: string
}

interface Content extends MaybeMedia {
  header?: { type: string } & Record<string, MaybeMedia>
  components?: { parameters?: ({ type: string } & Record<string, MaybeMedia>)[] }[]
}

type NumberCall = GraphCall<{ kind: 'number'; number: BusinessNumber }>

/** `POST /{number}/messages`: checks in Meta's order. */
export async function acceptSend(call: NumberCall): Promise<GraphReply> {
  const { emulation, node } = call
  const body = readJsonBody(call.body)
  if ('status' in body) return markRead(emulation, body)
  const { number } = node
  const send = parseSend(body)
  const recipient = readRecipient(emulation, number, send)
  refuseForeignMedia(emulation, number, send.content)
  if (!number.isRegistered) throw new GraphFault(133010)
  const { customer } = recipient
  if (customer.digits === number.digits) throw new GraphFault(131021)
  emulation.limits.countSend(number.id, customer.digits)
  if (send.type === 'template') checkTemplate(emulation.state, send.content as TemplateSend)

  const rule = emulation.rules.take({
    endpoint: 'POST number/messages',
    to: customer.digits,
    type: send.type,
    text: JSON.stringify(body),
  })
  if (rule?.delayMs !== undefined) await waitFor(emulation, rule.delayMs)
  if (rule?.drop) return { kind: 'reset' }
  if (rule?.error) throw toFault(rule)
  const script = chooseScript(emulation, customer, send)
  refuseByScript(emulation, customer, script)
  refuseUnlisted(emulation, customer)
  const isClosed = send.type !== 'template' && !hasOpenWindow(emulation, number, customer)
  const { windowMode } = emulation.config
  if (isClosed && windowMode === 'sync') throw new GraphFault(131047)
  if (script.manner === 'reset') return { kind: 'reset' }

  const asyncError = rule?.asyncError ?? (isClosed && windowMode === 'async' ? 131047 : undefined)
  const message = keep(emulation, number, { send, ...recipient, isHeld: script.manner === 'held' })
  await follow(emulation, message, { script, asyncError })
  if (script.manner === 'silent') return { kind: 'silent' }
  if (script.manner === 'html') {
    return { kind: 'bytes', status: 502, type: 'text/html', bytes: badGateway }
  }
  const answer = describeAccepted(message, send)
  if (script.manner !== 'malformed') return { kind: 'json', body: answer }
  const half = JSON.stringify(answer).slice(0, 40)
  return { kind: 'bytes', status: 200, type: 'application/json', bytes: half }
}

const badGateway = '<html><head><title>502 Bad Gateway</title></head><body>502</body></html>'

/**
 * Without a plus, Meta prefixes the business's own country code: the message goes to a stranger.
 */
function readRecipient(
  emulation: Emulation,
  number: BusinessNumber,
  { to, recipient }: ParsedSend,
): { to: string; customer: Customer } {
  if (!to) {
    const bsuid = recipient ?? ''
    const customer = findByBsuid(emulation, bsuid)
    if (!customer) throw new GraphFault(131009, { details: 'recipient is not a known user id' })
    return { to: bsuid, customer }
  }
  if (!/^[\d+\-() ]+$/.test(to)) {
    throw new GraphFault(131009, { details: 'to is not a valid phone number' })
  }
  const given = to.replaceAll(/\D/g, '')
  const digits = to.trim().startsWith('+') ? given : `${number.countryCode}${given}`
  if (digits.length < 7 || digits.length > 15) {
    throw new GraphFault(131009, { details: 'to is not a valid phone number' })
  }
  return { to: `+${digits}`, customer: findCustomer(emulation, digits) }
}

function refuseForeignMedia(emulation: Emulation, number: BusinessNumber, content: unknown) {
  for (const id of listMediaIds(content)) {
    if (findMedia(emulation, { id, numberId: number.id })) continue
    throw new GraphFault(131009, { details: `Media with id ${id} does not exist` })
  }
}

function chooseScript(emulation: Emulation, customer: Customer, { type }: ParsedSend): Script {
  const script = findScript(customer.digits, emulation.config.latencies)
  const isMedia = ['image', 'video', 'audio', 'document', 'sticker'].includes(type)
  const fits =
    script.onlyFor === undefined || (script.onlyFor === 'media' ? isMedia : type === 'template')
  return fits ? script : {}
}

function refuseUnlisted({ config }: Emulation, { digits, waId }: Customer) {
  const allowed = config.allowedRecipients
  // Compares literally: a reply to a Brazilian wa_id fails here too.
  if (allowed && !allowed.includes(digits) && !allowed.includes(waId)) throw new GraphFault(131030)
}

function toFault({ status, error }: Rule['respond']): GraphFault {
  return new GraphFault(error?.code ?? 1, {
    ...(status !== undefined && { status }),
    ...(error?.details !== undefined && { details: error.details }),
    ...(error?.isTransient !== undefined && { isTransient: error.isTransient }),
  })
}

async function waitFor({ clock }: Emulation, ms: number) {
  await new Promise<void>((resolve) => clock.at(clock.now() + ms, resolve))
}

function keep(
  { state, clock }: Emulation,
  number: BusinessNumber,
  options: { send: ParsedSend; to: string; customer: Customer; isHeld: boolean },
): SentMessage {
  const { send, to, customer, isHeld } = options
  const message: SentMessage = {
    wamid: state.random.wamid(customer.waId),
    phoneNumberId: number.id,
    to,
    customer,
    type: send.type,
    request: send.request,
    acceptedAt: clock.now(),
    callbackData: send.callbackData,
    statuses: [],
    isHeld,
  }
  state.sent.push(message)
  return message
}

async function follow(
  emulation: Emulation,
  message: SentMessage,
  { script, asyncError }: { script: Script; asyncError: number | undefined },
) {
  if (asyncError !== undefined) {
    const afterMs = emulation.config.latencies.sentMs
    const planned = [{ afterMs, status: 'failed' as const, errorCode: asyncError }]
    scheduleStatuses(emulation, message, { script: {}, planned })
    return
  }
  if (script.manner === 'held') return
  const planned = planStatuses(emulation, message, script)
  if (script.manner === 'early') await sendEarly(emulation, message)
  scheduleStatuses(emulation, message, { script, planned })
  const { reply } = script
  if (!reply || message.type === 'reaction') return
  const { clock, config } = emulation
  clock.at(clock.now() + config.latencies.replyMs, () => {
    sendReply(emulation, message, reply)
  })
}

function describeAccepted(message: SentMessage, send: ParsedSend) {
  const { waId, bsuid } = message.customer
  return {
    messaging_product: 'whatsapp',
    contacts: send.to
      ? [{ input: send.to, wa_id: waId }]
      : [{ input: send.recipient, user_id: bsuid }],
    messages: [
      {
        id: message.wamid,
        ...(message.type === 'template' && {
          message_status: message.isHeld ? 'held_for_quality_assessment' : 'accepted',
        }),
      },
    ],
  }
}

/** The ids of uploaded files in a message's content, wherever its type has them. */
function listMediaIds(content: unknown): string[] {
  const { id, header, components = [] } = content as Content
  const parameters = components.flatMap((component) => component.parameters ?? [])
  const inner = [...(header ? [header] : []), ...parameters].map((part) => part[part.type]?.id)
  return [id, ...inner].filter((one) => typeof one === 'string')
}

/** Marks a person's message, and all before it, as read. */
function markRead({ state }: Emulation, body: Record<string, unknown>): GraphReply {
  const mark = readMark.safeParse(body)
  if (!mark.success) throw new GraphFault(100, { details: 'Unexpected body for status read' })
  const target = state.received.find(({ wamid }) => wamid === mark.data.message_id)
  if (!target) throw new GraphFault(131009, { details: 'message_id is not a known message' })
  for (const message of state.received) {
    const isOfThread =
      message.customer === target.customer && message.phoneNumberId === target.phoneNumberId
    if (isOfThread && message.at <= target.at) message.isRead = true
  }
  return succeed()
}
