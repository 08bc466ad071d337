import { findCustomer, openWindow } from '../customers/customers.ts'
import type { Emulation } from '../state/emulation.ts'
import type { Customer, ReceivedMessage } from '../state/emulator-state.ts'
import { openAddress, storeMedia } from '../state/media-store.ts'
import type { Change } from '../state/webhook-sender.ts'
import {
  describeContact,
  describeMetadata,
  describeSender,
  toWireSeconds,
} from './webhook-values.ts'

export interface Incoming {
  /** Digits of the person. */
  from: string
  name?: string | undefined
  phoneNumberId: string
  type: string
  /** The object under the type's name; undefined for a type without one. */
  content?: unknown
  /** Further keys, such as `errors` or `referral`. */
  more?: Record<string, unknown> | undefined
  /** The wamid of the quoted message. */
  replyTo?: string | undefined
  /** Epoch ms; now, unless a test wants it late. */
  at?: number | undefined
}

/** A person's message: stores it, opens the window, and makes the webhook's change. */
export function receiveMessage(
  emulation: Emulation,
  incoming: Incoming,
): { received: ReceivedMessage; change: Change } {
  const { state, clock } = emulation
  const { phoneNumberId, type, content, more, replyTo, at = clock.now() } = incoming
  const customer = findCustomer(emulation, incoming.from, incoming.name)
  const number = state.numbers.get(phoneNumberId)
  const isSystem = type === 'system'
  const message = {
    ...(replyTo !== undefined && { context: { from: number?.digits, id: replyTo } }),
    ...describeSender(emulation, customer),
    id: state.random.wamid(customer.waId),
    timestamp: toWireSeconds(at),
    type,
    ...(content !== undefined && { [type]: content }),
    ...more,
  }
  const received: ReceivedMessage = {
    wamid: message.id,
    phoneNumberId,
    customer,
    message,
    at,
    isRead: false,
  }
  state.received.push(received)
  if (!isSystem) openWindow(emulation, { numberId: phoneNumberId, customer, at })
  const value = {
    messaging_product: 'whatsapp',
    ...(number && { metadata: describeMetadata(number) }),
    ...(!isSystem && { contacts: [describeContact(emulation, customer)] }),
    messages: [message],
  }
  return { received, change: { field: 'messages', value } }
}

/** As `receiveMessage`, and sends the webhook, unless the business blocks this person. */
export function deliverMessage(emulation: Emulation, incoming: Incoming): ReceivedMessage {
  const { received, change } = receiveMessage(emulation, incoming)
  if (!isBlocked(emulation, received.customer, incoming.phoneNumberId)) {
    emulation.webhooks.send([change])
  }
  return received
}

function isBlocked({ state }: Emulation, customer: Customer, numberId: string): boolean {
  return state.numbers.get(numberId)?.blocked.has(customer.digits) ?? false
}

/** Stores a person's file. @returns its description for the webhook; the checksum in base64 */
export function attachFile(
  emulation: Emulation,
  file: { phoneNumberId: string; mimeType: string; bytes: Uint8Array },
) {
  const media = storeMedia(emulation, { ...file, origin: 'inbound' })
  return {
    id: media.id,
    mime_type: media.mimeType,
    sha256: Buffer.from(media.sha256, 'hex').toString('base64'),
    ...(emulation.config.includeMediaUrl && { url: openAddress(emulation, media) }),
  }
}
