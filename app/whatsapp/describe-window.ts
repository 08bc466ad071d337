import { limits } from '../../schema/limits.ts'
import type { MessageDocument } from '../../schema/message.ts'
import type { Channel } from './channel.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const windowMs = limits.whatsAppWindowMs
const soonMs = 2 * hourMs

/** How long the operator can still write freely to a customer, in words. */
export type WindowState =
  | { kind: 'open' | 'closing'; words: string; changesAt: number }
  | { kind: 'closed'; words: string }

/**
 * The window's state at a time. Times are epoch ms.
 * @param asked.lastInboundAt when the customer last wrote, by WhatsApp's clock; undefined for never
 */
export function describeWindow(asked: {
  lastInboundAt: number | undefined
  now: number
}): WindowState {
  const { lastInboundAt, now } = asked
  if (lastInboundAt === undefined) {
    return {
      kind: 'closed',
      words: "They haven't written to you yet. Only templates can be sent.",
    }
  }
  const leftMs = lastInboundAt + windowMs - now
  if (leftMs <= 0) {
    return {
      kind: 'closed',
      words: 'More than 24 hours since their last message. Only templates can be sent.',
    }
  }
  const minutes = Math.min(Math.ceil(leftMs / minuteMs), windowMs / minuteMs)
  const words = `You can reply freely for ${nameMinutes(minutes)}.`
  const changesAt = now + (leftMs % minuteMs || minuteMs)
  return { kind: leftMs <= soonMs ? 'closing' : 'open', words, changesAt }
}

function nameMinutes(minutes: number): string {
  const hours = Math.floor(minutes / 60)
  const rest = minutes % 60
  if (hours === 0) return `${rest} min`
  return rest === 0 ? `${hours} h` : `${hours} h ${rest} min`
}

/** The link's state in words; never claims a connection that the server does not have. */
export function describeLink({ isLinked, isOff }: Pick<Channel, 'isLinked' | 'isOff'>): string {
  if (!isLinked) return 'Not connected'
  return isOff ? 'Saved, not connected' : 'Connected'
}

/**
 * Was it refused because the customer's 24 hours were over? Then a template can still carry its
 * text.
 */
export function isWindowRefusal(
  message: Pick<MessageDocument, 'status' | 'errorCode' | 'deletedAt'>,
): boolean {
  return (
    message.status === 'failed' &&
    message.errorCode === 'whatsapp_window_closed' &&
    message.deletedAt === undefined
  )
}
