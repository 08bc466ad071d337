import type { ContactIdentity } from '../customers/contact-identity.ts'
import type { InboundContent } from './inbound-content.ts'
import type { DeliveryStatus } from './next-status.ts'

/** The business number that an item concerns. */
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
  /** The wamid of the quoted message. */
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
  /** Our own message id, if returned. */
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

/** A problem with the number or the account, not with a message. */
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

/** How long a status may precede the answer to its send. */
export const statusesWaitMs = 10 * 60_000
