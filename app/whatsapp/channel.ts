import { limits } from '../../schema/limits.ts'
import type { MessageDocument } from '../../schema/message.ts'
import type { Settings } from '../../schema/settings.ts'
import type { OwnUser } from '../../schema/user.ts'
import type { OwnSettings } from '../sync/own-settings.ts'

/** The business channel's state in a person's record. */
export interface Channel {
  isLinked: boolean
  /** The digits of the linked number, if there is one. */
  phone: string | undefined
  /** Messages reach nobody: the server uses an emulator. */
  isSandbox: boolean
  /** The server has no channel: a linked number is saved, and nothing goes over WhatsApp. */
  isOff: boolean
}

/**
 * The signed-in person's channel: decision 61, section 3. A phone number alone, by which people are
 * found and sign in, reaches nobody there, and so is no link.
 */
export function readChannel(user: OwnUser | undefined): Channel {
  const { wa_id, phone_number, phone_number_id, whatsapp_channel } = user ?? {}
  return {
    isLinked: Boolean(wa_id || phone_number_id),
    phone: phone_number ?? wa_id,
    isSandbox: whatsapp_channel === 'sandbox',
    isOff: whatsapp_channel === 'off',
  }
}

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

/** The channel dialog that a person has opened in a chat; one at a time. */
export type ChannelWish =
  /** `message`: one refused after the 24 hours; templates offer its text. */
  | { kind: 'templates'; message?: MessageDocument }
  /** `next`: sent as soon as there is a number. */
  | { kind: 'phone'; next?: Outgoing }
  | { kind: 'buttons' }
  | { kind: 'list' }
  | { kind: 'replies' }
  | { kind: 'labels' }

/** A business-channel message before it is sent. */
export interface Outgoing {
  /** Its text. */
  content: string
  business: Pick<MessageDocument, 'type' | 'template' | 'interactive'>
}
