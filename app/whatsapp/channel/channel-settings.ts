import * as z from 'zod/mini'
import type { OwnUser } from '../../../schema/user.ts'

type Settings = OwnUser['settings']

/** An operator's own settings: their quick replies, and their labels for customers. */
export interface ChannelSettings {
  quickReplies: readonly string[]
  /** By contact id. */
  labels: Readonly<Record<string, readonly string[]>>
}

const words = z.catch(z.array(z.string()), [])
const kept = z.object({
  quickReplies: z._default(words, []),
  labels: z._default(z.catch(z.record(z.string(), words), {}), {}),
})

/** The channel's part of a person's settings; unreadable parts count as absent. */
export function readChannelSettings(settings: Settings): ChannelSettings {
  const read = kept.safeParse(settings.whatsApp ?? {})
  return read.success ? read.data : { quickReplies: [], labels: {} }
}

/** The settings with a new channel part; all else stays. */
export function withChannelSettings(
  settings: Settings,
  change: Partial<ChannelSettings>,
): Settings {
  const { quickReplies, labels } = { ...readChannelSettings(settings), ...change }
  const given = Object.entries(labels).filter(([, own]) => own.length > 0)
  return {
    ...settings,
    whatsApp: {
      quickReplies: [...quickReplies],
      labels: Object.fromEntries(given.map(([contactId, own]) => [contactId, [...own]])),
    },
  }
}
