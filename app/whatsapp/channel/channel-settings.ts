import * as z from 'zod/mini'
import type { OwnUser } from '../../../schema/user.ts'

type Settings = OwnUser['settings']

/** What an operator keeps for themselves: texts that they often need, and what they call their customers. */
export interface ChannelSettings {
  quickReplies: readonly string[]
  /** By the contact's id. */
  labels: Readonly<Record<string, readonly string[]>>
}

const words = z.catch(z.array(z.string()), [])
const kept = z.object({
  quickReplies: z._default(words, []),
  labels: z._default(z.catch(z.record(z.string(), words), {}), {}),
})

/** The channel's part of a person's settings; what cannot be read is as if it were not there. */
export function readChannelSettings(settings: Settings): ChannelSettings {
  const read = kept.safeParse(settings.whatsApp ?? {})
  return read.success ? read.data : { quickReplies: [], labels: {} }
}

/** The settings with another channel's part; everything else in them stays. */
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
