import type { ContactIdentity } from '../customers/contact-identity.ts'
import type { InboundContent } from './inbound-content.ts'
import type { DeliveryStatus } from './next-status.ts'

/** The number of the business that something is about. */
interface About {
  phoneNumberId: string
  displayPhoneNumber: string | null
}

export interface MessageItem extends About {
  kind: 'message'
  wamid: string
  /** Epoch ms, by Meta's clock: whole seconds. */
  sentAt: number
  sender: ContactIdentity
  content: InboundContent
  /** The wamid that it answers. */
  replyTo: string | null
  isForwarded: boolean
  referral: Record<string, unknown> | null
}

export interface StatusItem extends About {
  kind: 'status'
  wamid: string
  status: Exclude<DeliveryStatus, 'sending'>
  at: number
  recipient: ContactIdentity
  /** Our own id of the message, where it came back. */
  messageId: string | null
  error: { code: number; title: string; details: string | null } | null
  pricing: Record<string, unknown> | null
}

export interface EchoItem extends About {
  kind: 'echo'
  wamid: string
  sentAt: number
  recipient: ContactIdentity
  content: InboundContent
}

export interface TemplateItem {
  kind: 'template'
  name: string
  language: string
  event: string
  reason: string | null
}

/** Something about the number or the account went wrong; no message of anybody. */
export interface ProblemItem extends About {
  kind: 'problem'
  code: number
  title: string
  details: string | null
}

export interface IgnoredItem {
  kind: 'ignored'
  field: string
  why: string
}

export type WebhookItem =
  | MessageItem
  | StatusItem
  | EchoItem
  | TemplateItem
  | ProblemItem
  | IgnoredItem

/** So long a status may come before the answer to the send that it is about. */
export const statusesWaitMs = 10 * 60_000
