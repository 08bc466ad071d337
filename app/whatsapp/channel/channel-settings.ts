import { limits } from '../../../schema/limits.ts'
import type { Settings } from '../../../schema/settings.ts'
import type { OwnSettings } from '../../sync/own-settings.ts'

/** An operator's own settings: their quick replies, and their labels for customers. */
export interface ChannelSettings {
  quickReplies: readonly string[]
  /** By contact id. */
  labels: Readonly<Record<string, readonly string[]>>
}

/** An operator's labels for a customer. */
export function listLabels({ labels }: ChannelSettings, contactId: string): readonly string[] {
  return Object.hasOwn(labels, contactId) ? (labels[contactId] ?? []) : []
}

/**
 * Stores a part of the channel's settings; all else stays.
 * Rejects with words for a person when the server would find the settings too large.
 */
export async function changeChannelSettings(
  settings: OwnSettings,
  change: Partial<ChannelSettings>,
): Promise<void> {
  const before = settings.values.getSnapshot()
  const { quickReplies, labels } = { ...before.whatsApp, ...change }
  const given = Object.entries(labels).filter(([, own]) => own.length > 0)
  const whatsApp: Settings['whatsApp'] = {
    quickReplies: [...quickReplies],
    labels: Object.fromEntries(given.map(([contactId, own]) => [contactId, [...own]])),
  }
  // With all other settings, set or not: each of them has to find room later.
  const length = measure({ ...before, whatsApp })
  if (length > limits.settingsMaxLength && length > measure(before)) {
    throw new Error('There is no room for more quick replies and labels. Delete some first.')
  }
  await settings.set({ whatsApp })
}

function measure(settings: object): number {
  return JSON.stringify(settings).length
}
