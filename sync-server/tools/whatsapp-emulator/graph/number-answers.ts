import * as z from 'zod/mini'
import { findCustomer } from '../customers/customers.ts'
import type { BusinessNumber, SentMessage, StatusName } from '../state/emulator-state.ts'
import { GraphFault } from '../wire/graph-fault.ts'
import { type GraphCall, type GraphReply, succeed } from './graph-call.ts'
import { readJsonBody } from './read-json-body.ts'

type NumberCall = GraphCall<{ kind: 'number'; number: BusinessNumber }>

function describe(number: BusinessNumber) {
  return {
    id: number.id,
    display_phone_number: formatNumber(number.digits),
    verified_name: number.verifiedName,
    quality_rating: 'GREEN',
    code_verification_status: 'VERIFIED',
    name_status: 'APPROVED',
    status: number.isRegistered ? 'CONNECTED' : 'PENDING',
    platform_type: 'CLOUD_API',
    throughput: { level: 'STANDARD' },
  }
}

/** In Meta's display form: only the digits count. */
function formatNumber(digits: string): string {
  return digits.replace(/^1(\d{3})(\d{3})(\d{4})$/, '+1 $1-$2-$3')
}

export function describeNumber({ node, query }: NumberCall): GraphReply {
  const fields = query.get('fields')?.split(',')
  const all = Object.entries(describe(node.number))
  const body = Object.fromEntries(
    all.filter(([name]) => name === 'id' || !fields || fields.includes(name)),
  )
  return { kind: 'json', body }
}

export function listNumbers({ emulation }: GraphCall): GraphReply {
  const data = [...emulation.state.numbers.values()].map(describe)
  return { kind: 'json', body: { data, paging: { cursors: { before: 'MA', after: 'MQ' } } } }
}

const registration = z.strictObject({
  messaging_product: z.literal('whatsapp'),
  pin: z.string().check(z.regex(/^\d{6}$/)),
})

export function registerNumber({ node, body }: NumberCall): GraphReply {
  if (!registration.safeParse(readJsonBody(body)).success) {
    throw new GraphFault(100, { details: 'A pin of six digits is required' })
  }
  node.number.isRegistered = true
  return succeed()
}

export function deregisterNumber({ node }: NumberCall): GraphReply {
  node.number.isRegistered = false
  return succeed()
}

const blockRequest = z.strictObject({
  messaging_product: z.literal('whatsapp'),
  block_users: z.array(z.strictObject({ user: z.string() })).check(z.minLength(1)),
})

export function changeBlocks(isBlocking: boolean) {
  return ({ emulation, node, body }: NumberCall): GraphReply => {
    const read = blockRequest.safeParse(readJsonBody(body))
    if (!read.success) throw new GraphFault(100, { details: 'block_users is required' })
    const users = read.data.block_users.map(({ user }) => {
      const customer = findCustomer(emulation, user.replaceAll(/\D/g, ''))
      if (isBlocking) node.number.blocked.add(customer.digits)
      else node.number.blocked.delete(customer.digits)
      return { input: user, wa_id: customer.waId }
    })
    const block_users = isBlocking ? { added_users: users } : { removed_users: users }
    return { kind: 'json', body: { messaging_product: 'whatsapp', block_users } }
  }
}

export function listBlocks({ node }: NumberCall): GraphReply {
  const data = [...node.number.blocked].map((digits) => ({
    messaging_product: 'whatsapp',
    wa_id: digits,
  }))
  return { kind: 'json', body: { data, paging: { cursors: { before: 'MA', after: 'MQ' } } } }
}

export function describeProfile({ node }: NumberCall): GraphReply {
  const data = [{ messaging_product: 'whatsapp', ...node.number.profile }]
  return { kind: 'json', body: { data } }
}

export function changeProfile({ node, body }: NumberCall): GraphReply {
  const { messaging_product, ...profile } = readJsonBody(body)
  if (messaging_product !== 'whatsapp') {
    throw new GraphFault(100, { details: 'The parameter messaging_product is required.' })
  }
  Object.assign(node.number.profile, profile)
  return succeed()
}

const deliveryNames: Record<StatusName, string> = {
  sent: 'SENT',
  delivered: 'DELIVERED',
  read: 'READ',
  played: 'READ',
  failed: 'FAILED',
}

/**
 * `GET /{number}/message_history?message_id=`: a message's history, for clients that missed
 * webhooks.
 */
export function describeHistory({ emulation, node, query }: NumberCall): GraphReply {
  const wamid = query.get('message_id')
  const isMeant = (one: SentMessage) => one.wamid === wamid && one.phoneNumberId === node.number.id
  const message = emulation.state.sent.find(isMeant)
  const data = message
    ? [
        {
          id: `history-${message.wamid.slice(-8)}`,
          message_id: message.wamid,
          events: {
            data: message.statuses.map(({ status, at }) => ({
              delivery_status: deliveryNames[status],
              timestamp: Math.floor(at / 1_000),
              webhook_update_state: 'DELIVERED',
            })),
          },
        },
      ]
    : []
  return { kind: 'json', body: { data } }
}
