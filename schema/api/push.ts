import * as z from 'zod/mini'
import { id } from '../id.ts'
import { epochMs } from '../message.ts'

/** Bounds of what is pushed, and to how many devices. */
export const pushLimits = {
  /** A person's devices that are pushed to; the longest known leaves for a further one. */
  devicesPerPersonMax: 20,
  /** A push carries 4,096 bytes at most, encryption included: RFC 8291, section 4. */
  messageIdsMax: 20,
  textMaxCharacters: 200,
  nameMaxCharacters: 60,
}

const base64Url = (characters: number) =>
  z.string().check(z.regex(new RegExp(`^[A-Za-z0-9_-]{${characters}}={0,2}$`)))

/** What a device understands beyond new messages: an older one shows each push as one. */
export const pushWords = ['read'] as const

/**
 * Where a browser wants its pushes, and its keys to encrypt them with. As `PushSubscription.toJSON`,
 * and the `pushWords` that its worker understands.
 */
export const pushSubscription = z.object({
  endpoint: z.string().check(z.maxLength(2_048)),
  keys: z.object({ p256dh: base64Url(87), auth: base64Url(22) }),
  understands: z.optional(z.array(z.string().check(z.maxLength(20))).check(z.maxLength(10))),
})
export type PushSubscriptionBody = z.infer<typeof pushSubscription>

/** The key with which this server signs its pushes, as `applicationServerKey` takes it. */
export const pushKey = z.object({ publicKey: z.string() })
export const pushKept = z.object({ isKept: z.literal(true) })
export const pushEnded = z.object({ isEnded: z.literal(true) })

/**
 * What a push says: encrypted for one device. Without `text` its person hides previews. The device
 * fetches the messages by itself: this only names them.
 */
export const pushPayload = z.object({
  userId: id,
  /** The chat, and who wrote; or a group, and its name. */
  peerId: id,
  name: z.string(),
  isGroup: z.optional(z.literal(true)),
  /** In a group: who wrote the newest message. */
  author: z.optional(z.string()),
  messageIds: z.array(id).check(z.minLength(1), z.maxLength(pushLimits.messageIdsMax)),
  /** How many messages, of which `messageIds` are the newest. */
  count: z.int().check(z.gte(1)),
  /** The place of the newest of them. */
  upTo: z.optional(epochMs),
  /** Up to where this person has read or cleared the chat: earlier pushes are over. */
  readUpTo: z.optional(epochMs),
  /**
   * All other messages of the chat that have not arrived on any device; undefined when too many.
   * With them the device may say that the chat has arrived up to `upTo`.
   */
  owedIds: z.optional(z.array(id).check(z.maxLength(pushLimits.messageIdsMax))),
  text: z.optional(z.string()),
  isPreviewHidden: z.boolean(),
  isSilent: z.boolean(),
})
export type PushPayload = z.infer<typeof pushPayload>

/** The chat was read on another device: closes its notification, and shows none. */
export const pushRead = z.object({
  kind: z.literal('read'),
  userId: id,
  peerId: id,
  readUpTo: epochMs,
})
export type PushRead = z.infer<typeof pushRead>
