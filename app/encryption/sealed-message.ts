import { gcmsiv } from '@noble/ciphers/aes.js'
import { x25519 } from '@noble/curves/ed25519.js'
import { hkdf } from '@noble/hashes/hkdf.js'
import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import * as z from 'zod/mini'
import type { GroupMessageDocument } from '../../schema/api/groups.ts'
import { type AttachedFile, attachedFile } from '../../schema/attached-file.ts'
import { type Lock, sealedFileName, sealedFormat } from '../../schema/encryption/sealed-part.ts'
import { areValuesEqual } from '../../schema/helpers/equality.ts'
import { limits } from '../../schema/limits.ts'
import { type MessageDocument, mentions } from '../../schema/message.ts'
import { isReaction, type Reaction, type Reactions } from '../../schema/reaction.ts'
import type { AccountKeys } from './account-keys.ts'
import { fromBase64Url, toBase64Url } from './base64-url.ts'
import { createFileKey } from './sealed-file.ts'

/** A secret of one conversation: everything sealed with it opens for whoever has it. */
export interface Epoch {
  id: string
  /** 32 bytes each, of which neither tells the other. */
  boxKey: Uint8Array
  nonceKey: Uint8Array
  /** Of a group: several people have its secret, so that each part says who wrote it. */
  authors?: Authors
}

/** Signs what this person seals for a group, and checks who wrote what others have sealed. */
export interface Authors {
  sign(text: Uint8Array): string
  /** Did this person write it? Undefined while their keys are unknown here. */
  check(authorId: string, given: { text: Uint8Array; signature: string }): boolean | undefined
}

/**
 * The epoch of two people's keys: each computes it alone, offline, on every device (decision 70).
 * @param peerAgreement the other person's public X25519 key
 * @throws on a point with which nothing can be agreed
 */
export function deriveEpoch(own: Pick<AccountKeys, 'agreement'>, peerAgreement: Uint8Array): Epoch {
  const { publicKey, secretKey } = own.agreement
  const shared = x25519.getSharedSecret(secretKey, peerAgreement)
  const salt = concatBytes(...inOrder(publicKey, peerAgreement))
  const secret = hkdf(sha256, shared, salt, utf8ToBytes('petrel epoch v1'), 64)
  const id = nameEpoch(publicKey, peerAgreement)
  return { id, boxKey: secret.subarray(0, 32), nonceKey: secret.subarray(32) }
}

/** The id of the epoch of two people's public keys, the same for both: 11 characters. */
export function nameEpoch(one: Uint8Array, other: Uint8Array): string {
  const named = concatBytes(utf8ToBytes('petrel epoch id v1'), ...inOrder(one, other))
  return toBase64Url(sha256(named).subarray(0, 8))
}

function inOrder(one: Uint8Array, other: Uint8Array): [Uint8Array, Uint8Array] {
  for (const [at, byte] of one.entries()) {
    const difference = byte - (other[at] ?? 0)
    if (difference !== 0) return difference < 0 ? [one, other] : [other, one]
  }
  return [one, other]
}

/** Where a sealed part belongs: moved anywhere else, it does not open. */
interface Place {
  message: Pick<MessageDocument, '_id' | 'senderId' | 'recipientId'>
  authorId: string
  register: 'words' | 'reaction'
}

function describePlace({ message, authorId, register }: Place): Uint8Array {
  const { _id, senderId, recipientId } = message
  const conversation = [senderId, recipientId].sort().join(' ')
  return utf8ToBytes(
    ['petrel sealed', sealedFormat, register, _id, authorId, conversation].join('\n'),
  )
}

const nonceBytes = 12
/** So that a length tells little; JSON ignores spaces at its end. */
const stepBytes = 64

/** The same words in the same place give the same text: sent again, they are no change. */
function sealPart(value: object, { place, epoch }: { place: Place; epoch: Epoch }): string {
  const context = describePlace(place)
  const json = JSON.stringify(value)
  const signature = epoch.authors?.sign(toSigned(context, json))
  // JSON has no line breaks of its own.
  const bytes = utf8ToBytes(signature === undefined ? json : `${json}\n${signature}`)
  const padded = new Uint8Array(Math.ceil(bytes.length / stepBytes) * stepBytes).fill(0x20)
  padded.set(bytes)
  return sealBytes(padded, { context, epoch })
}

const toSigned = (context: Uint8Array, json: string) =>
  concatBytes(context, utf8ToBytes(`\n${json}`))

/** A sealed part of these bytes: the same ones in the same context give the same text. */
export function sealBytes(
  bytes: Uint8Array,
  { context, epoch }: { context: Uint8Array; epoch: Omit<Epoch, 'authors'> },
): string {
  const nonce = hmac(sha256, epoch.nonceKey, concatBytes(sha256(context), bytes)).subarray(
    0,
    nonceBytes,
  )
  const box = gcmsiv(epoch.boxKey, nonce, context).encrypt(bytes)
  return `${sealedFormat}.${epoch.id}.${toBase64Url(concatBytes(nonce, box))}`
}

/** @throws on a box of another secret, place or context */
export function openBytes(
  sealed: string,
  { context, epoch }: { context: Uint8Array; epoch: Omit<Epoch, 'authors'> },
): Uint8Array {
  const bytes = fromBase64Url(splitPart(sealed).box)
  const nonce = bytes.subarray(0, nonceBytes)
  return gcmsiv(epoch.boxKey, nonce, context).decrypt(bytes.subarray(nonceBytes))
}

/** Finds the secret that a part is sealed with; undefined while it is unknown here. */
export type FindEpoch = (peerId: string, epochId: string) => Epoch | undefined

function openPart<T>(
  sealed: string,
  given: { schema: z.ZodMiniType<T>; place: Place; peerId: string; findEpoch: FindEpoch },
): { value: T } | { lock: Lock } {
  const { format, epochId } = splitPart(sealed)
  if (format > sealedFormat) return { lock: 'newer' }
  const epoch = given.findEpoch(given.peerId, epochId)
  if (!epoch) return { lock: 'key' }
  try {
    const context = describePlace(given.place)
    const opened = new TextDecoder().decode(openBytes(sealed, { context, epoch }))
    const [json = '', signature = ''] = opened.split('\n')
    const value = given.schema.safeParse(JSON.parse(json))
    if (!value.success) return { lock: 'broken' }
    if (!epoch.authors) return { value: value.data }
    const signed = { text: toSigned(context, json), signature: signature.trimEnd() }
    const isTheirs = epoch.authors.check(given.place.authorId, signed)
    if (isTheirs === undefined) return { lock: 'key' }
    return isTheirs ? { value: value.data } : { lock: 'broken' }
  } catch {
    return { lock: 'broken' }
  }
}

function splitPart(sealed: string) {
  const [format, epochId = '', box = ''] = sealed.split('.')
  return { format: Number(format), epochId, box }
}

/** So many earlier wordings are named; of what is earlier still the number tells it. */
const namedWordings = 20

const words = z.optional(z.string().check(z.maxLength(limits.messageMaxCharacters)))

/**
 * `t`: the text; `m`: who is named in it. `n` counts the wordings of this message by its author; `was` names those that this
 * one replaced. Short names: they decide whether a short text fits into one step.
 */
const sealedWords = z
  .object({
    t: words,
    /** As the first devices wrote it. */
    text: words,
    n: z._default(z.int().check(z.gte(0)), 0),
    file: z.optional(attachedFile),
    m: z.optional(mentions),
    was: z.optional(z.array(z.string()).check(z.maxLength(namedWordings))),
  })
  .check(z.refine(({ t, text }) => (t ?? text) !== undefined))
type SealedWords = z.infer<typeof sealedWords>

const textOf = ({ t, text }: SealedWords): string => t ?? text ?? ''

/** A wording's name: the beginning of its nonce, which is a keyed hash of it. */
function nameWording(sealed: string): string {
  return splitPart(sealed).box.slice(0, 8)
}

/** Did its author replace this wording by the other one? Two that knew nothing of each other: no. */
function isReplaced(
  one: { sealed: string; words: SealedWords },
  { n, was = [] }: SealedWords,
): boolean {
  return was.includes(nameWording(one.sealed)) || one.words.n + namedWordings < n
}
const sealedEmoji = z.object({
  emoji: z.string().check(z.refine((emoji) => emoji !== '' && isReaction(emoji))),
})

/**
 * A message with its words, as the device stores and shows it: `content`, `mentions`, `file` and reactions are
 * what the sealed parts hold, which stay beside them. Without `locked` all words are there.
 */
export interface OpenedMessage extends GroupMessageDocument {
  locked?: Lock
  /** A sealed wording that replaced the one in `sealed`, from before that was served again. */
  later?: string
}

/**
 * The message as it leaves the device, is compared and is merged: sealed parts, and nothing of what
 * they hold.
 */
export function closeMessage(message: OpenedMessage): MessageDocument {
  const { locked, later, ...rest } = message
  const { sealed, file, reactions, refused } = message
  const isClosed =
    locked === undefined &&
    later === undefined &&
    sealed === undefined &&
    refused?.sealed === undefined &&
    !hasSealedReaction(reactions)
  if (isClosed) return message
  const closed: MessageDocument = { ...rest }
  if (sealed !== undefined) {
    closed.content = ''
    delete closed.mentions
    if (file) closed.file = closeFile(file)
  }
  if (reactions) closed.reactions = mapEntries(reactions, closeReaction)
  if (refused?.sealed !== undefined) {
    const { content, ...others } = refused
    closed.refused = others
  }
  return closed
}

function closeFile({ size }: AttachedFile): AttachedFile {
  return { name: sealedFileName, size, mimeType: 'application/octet-stream' }
}

function closeReaction(entry: Reaction): Reaction {
  return entry.sealed === undefined ? entry : { ...entry, emoji: '' }
}

function hasSealedReaction(reactions: Reactions | undefined): boolean {
  if (reactions) for (const id in reactions) if (reactions[id]?.sealed !== undefined) return true
  return false
}

function mapEntries(
  reactions: Reactions,
  change: (entry: Reaction, userId: string) => Reaction,
): Reactions {
  return Object.fromEntries(
    Object.entries(reactions).map(([userId, entry]) => [userId, change(entry, userId)]),
  )
}

/**
 * Opens what is sealed in a message, whatever stands beside it. Pure: the same message and keys
 * give the same. What does not open stays as it came, with the reason.
 */
export function openMessage(message: OpenedMessage, findEpoch: FindEpoch): OpenedMessage {
  const closed = closeMessage(message)
  const { sealed, reactions, refused, peerId, senderId, file } = closed
  if (sealed === undefined && refused?.sealed === undefined && !hasSealedReaction(reactions)) {
    return closed
  }
  const opened: OpenedMessage = { ...closed }
  const words = { message: closed, authorId: senderId, register: 'words' as const }
  if (sealed !== undefined) {
    const given = { schema: sealedWords, place: words, peerId, findEpoch }
    const part = openPart(sealed, given)
    const later = message.later === undefined ? undefined : openPart(message.later, given)
    if ('lock' in part) {
      opened.locked = part.lock
      if (message.later !== undefined) opened.later = message.later
    } else {
      const isTakenBack =
        later && 'value' in later && isReplaced({ sealed, words: part.value }, later.value)
      if (isTakenBack && message.later !== undefined) opened.later = message.later
      const shown = isTakenBack ? later.value : part.value
      opened.content = textOf(shown)
      if (shown.m) opened.mentions = shown.m
      if (file) opened.file = shown.file ?? file
    }
  }
  if (refused?.sealed !== undefined) {
    const given = { schema: sealedWords, place: words, peerId, findEpoch }
    const part = openPart(refused.sealed, given)
    if ('value' in part) opened.refused = { ...refused, content: textOf(part.value) }
  }
  if (reactions) {
    opened.reactions = mapEntries(reactions, (entry, userId) => {
      if (entry.sealed === undefined) return entry
      const place: Place = { message: closed, authorId: userId, register: 'reaction' }
      const part = openPart(entry.sealed, { schema: sealedEmoji, place, peerId, findEpoch })
      return 'value' in part ? { ...entry, emoji: part.value.emoji } : entry
    })
  }
  return opened
}

/**
 * What arrived over a message that this device has. A wording that its author had replaced is no
 * news, whatever time stands beside it: the device goes on to show the later one, and who serves the
 * earlier one again takes nothing back. A refused one its author gets back.
 */
export function keepLaterWording(
  arrived: OpenedMessage,
  { held, findEpoch }: { held: OpenedMessage; findEpoch: FindEpoch },
): OpenedMessage {
  const later = held.later ?? held.sealed
  const { sealed, refused } = arrived
  if (later === undefined || sealed === undefined) return arrived
  if (later === sealed || later === refused?.sealed) return arrived
  return openMessage({ ...arrived, later }, findEpoch)
}

/** Is any part of it not open? A key that comes later may open it. */
export function isAnyLocked({ locked, reactions, refused }: OpenedMessage): boolean {
  if (locked !== undefined) return true
  if (refused?.sealed !== undefined && refused.content === undefined) return true
  return Object.values(reactions ?? {}).some((one) => one.sealed !== undefined && one.emoji === '')
}

/**
 * Seals what this person has written since `before`, with their own epoch: their words and their
 * reaction. What they left as it was keeps its sealed form, so that nothing is sent twice. Without
 * an epoch it stays as it is written.
 * @param before the message as the device had it, open; undefined for a new one
 */
export function sealMessage(
  message: OpenedMessage,
  given: {
    before: OpenedMessage | undefined
    userId: string
    epoch: Epoch | undefined
    findEpoch: FindEpoch
  },
): OpenedMessage {
  if (message.deletedAt !== undefined) return message
  return sealReaction(sealWords(message, given), given)
}

type Given = Parameters<typeof sealMessage>[1]

function sealWords(message: OpenedMessage, given: Given): OpenedMessage {
  const { before, userId, epoch } = given
  if (message.senderId !== userId) return message
  if (before && areWordsEqual(message, before)) return message
  const { sealed, locked, later, ...plain } = message
  // Its key must not stand in the open: nobody is given the file by it then.
  if (!epoch) return plain.file?.key ? { ...plain, file: { ...plain.file, key: undefined } } : plain
  if (plain.file) plain.file = withKey(plain)
  const { content, file, mentions: m } = plain
  const value = {
    t: content,
    ...nameEarlier(before, given),
    ...(file && { file }),
    ...(m && { m }),
  }
  const place: Place = { message, authorId: userId, register: 'words' }
  return { ...plain, sealed: sealPart(value, { place, epoch }) }
}

/** A file that has not left yet leaves sealed; what lies on the server already is what it is. */
function withKey({ file, mediaUrl }: OpenedMessage): AttachedFile | undefined {
  if (!file || file.key !== undefined || mediaUrl !== undefined) return file
  return { ...file, key: createFileKey() }
}

function areWordsEqual(a: OpenedMessage, b: OpenedMessage): boolean {
  return (
    a.content === b.content &&
    areValuesEqual(a.file, b.file) &&
    areValuesEqual(a.mentions, b.mentions)
  )
}

function nameEarlier(
  before: OpenedMessage | undefined,
  { findEpoch }: Given,
): Partial<Pick<SealedWords, 'n' | 'was'>> {
  const last = before?.later ?? before?.sealed
  if (!before || last === undefined) return {}
  const { peerId, senderId } = before
  const place: Place = { message: before, authorId: senderId, register: 'words' }
  const part = openPart(last, { schema: sealedWords, place, peerId, findEpoch })
  if ('lock' in part) return {}
  const { n, was = [] } = part.value
  return { n: n + 1, was: [nameWording(last), ...was].slice(0, namedWordings) }
}

function sealReaction(message: OpenedMessage, given: Given): OpenedMessage {
  const { before, userId, epoch } = given
  const entry = message.reactions?.[userId]
  if (!entry || areValuesEqual(entry, before?.reactions?.[userId])) return message
  const { emoji, at } = entry
  const place: Place = { message, authorId: userId, register: 'reaction' }
  const isSealed = emoji !== '' && epoch !== undefined
  const own: Reaction = isSealed
    ? { emoji, sealed: sealPart({ emoji }, { place, epoch }), at }
    : { emoji, at }
  return { ...message, reactions: { ...message.reactions, [userId]: own } }
}

/** The epoch that a sealed part names. */
export function readEpochId(sealed: string): string {
  return splitPart(sealed).epochId
}
