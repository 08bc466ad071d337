import { limits } from '../../../schema/limits.ts'

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
