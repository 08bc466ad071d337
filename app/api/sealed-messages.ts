import { v7 as createId } from 'uuid'
import type { MessageAnswer } from '../../schema/api/message-answer.ts'
import type { PublicKeys } from '../../schema/encryption/account-keys.ts'
import { type Lock, lockOf } from '../../schema/encryption/sealed-part.ts'
import { must } from '../../schema/helpers/assertions.ts'
import { type MessageDocument, messageDocument } from '../../schema/message.ts'
import { react } from '../../schema/reaction.ts'
import {
  type AccountKeys,
  createSeed,
  deriveAccountKeys,
  publishKeys,
  unwrapSeed,
  wrapSeed,
} from '../encryption/account-keys.ts'
import { createConversationKeys } from '../encryption/conversation-keys.ts'
import { derivePasswordSecrets } from '../encryption/password-secrets.ts'
import { openMessage, sealMessage } from '../encryption/sealed-message.ts'
import type { Api } from './api.ts'
import { retryCall } from './retry-call.ts'
import type { SessionStore } from './session-store.ts'

/** What a sealed message says, or why it does not open. */
export type ReadWords = { text: string; emoji: Record<string, string> } | { lock: Lock }

/**
 * Signs a script in as an app does: the password, which is never told, opens its keys. The first
 * ones are made. A recovery key is not: an app makes one, in the settings.
 * @throws with words, too when the password was reset since the keys were made
 */
export async function signInWithKeys(options: {
  api: Pick<Api, 'auth' | 'own'>
  sessions: Pick<SessionStore, 'set'>
  username: string
  password: string
}): Promise<{ userId: string; keys: AccountKeys[] }> {
  const { api, sessions, username, password } = options
  const derivation = await api.auth.askDerivation(username)
  const { shown, wrapKey } = await derivePasswordSecrets(password, derivation)
  // Deriving can take longer than a server keeps a silent connection.
  const session = await retryCall(() => api.auth.login({ username, secret: shown }))
  const { user, wrappedSeed } = session
  sessions.set(session, { keepSignedIn: true })
  const place = { userId: user._id, way: 'password' as const }
  if (wrappedSeed) return { userId: user._id, keys: [unwrapSeed(wrappedSeed, wrapKey, place)] }
  const keys = deriveAccountKeys({ seed: createSeed(), number: 1 })
  const wrapped = wrapSeed(keys, wrapKey, place)
  const given = { keys: { ...publishKeys(keys, user._id), v: 1 as const }, wrappedSeed: wrapped }
  await retryCall(() => api.own.setKeys(given))
  return { userId: user._id, keys: [keys] }
}

/**
 * Sealed messages for scripts: as the calls of `api.messages`, with words that only the two people
 * can read. To somebody without keys nothing is sent.
 */
export function createSealedMessages(options: {
  api: Pick<Api, 'messages' | 'users'>
  userId: string
  /** This person's keys, the newest first. */
  keys: readonly AccountKeys[]
}) {
  const { api, userId } = options
  const known = new Map<string, PublicKeys[]>()
  const keys = createConversationKeys({
    listOwn: () => options.keys,
    listPeer: (peerId) => known.get(peerId) ?? [],
  })

  /** @throws with words when this person has no keys */
  async function learnKeys(peerId: string) {
    const { username, keys: published } = await api.users.get(peerId)
    const before = (known.get(peerId) ?? []).filter(({ number }) => number !== published?.number)
    known.set(peerId, [...(published ? [published] : []), ...before])
    const epoch = keys.findCurrent(peerId)
    if (!epoch) throw new Error(`${username} has no keys: nothing was sent.`)
    return epoch
  }

  async function seal(
    message: MessageDocument,
    before?: MessageDocument,
  ): Promise<MessageDocument> {
    const epoch = await learnKeys(message.peerId)
    return sealMessage(message, { before, userId, epoch, findEpoch: keys.find })
  }

  /** As this person's devices hold it. */
  function toDocument(answer: MessageAnswer): MessageDocument {
    const { _id, sender, recipient, type, content, sealed, file, reactions = [] } = answer
    const at = (iso: string) => new Date(iso).getTime()
    return messageDocument.parse({
      _id,
      senderId: sender._id,
      recipientId: recipient._id,
      peerId: sender._id === userId ? recipient._id : sender._id,
      type,
      content,
      sealed,
      file,
      status: answer.status,
      createdAt: at(answer.createdAt),
      orderedAt: at(answer.orderedAt),
      reactions: Object.fromEntries(
        reactions.map(({ userId: who, reactedAt, ...own }) => [who, { ...own, at: at(reactedAt) }]),
      ),
    })
  }

  async function open(answer: MessageAnswer): Promise<MessageDocument> {
    const message = toDocument(answer)
    const opened = openMessage(message, keys.find)
    if (lockOf(opened) !== 'key') return opened
    await learnKeys(message.peerId).catch(() => undefined)
    return openMessage(message, keys.find)
  }

  return {
    /** A repeated call with the same `_id` is the same message. */
    async send(message: { recipientId: string; text: string; replyTo?: string; _id?: string }) {
      const { recipientId, text, replyTo, _id = createId() } = message
      const { sealed } = await seal(
        messageDocument.parse({
          _id,
          peerId: recipientId,
          senderId: userId,
          recipientId,
          content: text,
          createdAt: 0,
          orderedAt: 0,
        }),
      )
      return await api.messages.send({
        _id,
        recipientId,
        sealed: must(sealed, 'a sealed text'),
        ...(replyTo !== undefined && { replyToMessageId: replyTo }),
      })
    },

    /** Also of a message that is not sealed. */
    async read(message: MessageAnswer): Promise<ReadWords> {
      const opened = await open(message)
      const lock = lockOf(opened)
      if (lock) return { lock }
      const emoji = Object.entries(opened.reactions ?? {}).map(([who, one]) => [who, one.emoji])
      return { text: opened.content, emoji: Object.fromEntries(emoji) }
    },

    async edit(message: MessageAnswer, text: string) {
      const before = await open(message)
      const { sealed } = await seal({ ...before, content: text }, before)
      return await api.messages.edit(message._id, { sealed: must(sealed, 'a sealed text') })
    },

    /** An empty emoji removes this person's reaction. */
    async react(message: MessageAnswer, emoji: string) {
      const before = await open(message)
      const next = react(before, { userId, emoji, now: before.createdAt })
      const own = (emoji === '' ? next : await seal(next, before)).reactions?.[userId]
      const sealed = own?.sealed
      return await api.messages.setReaction(message._id, sealed === undefined ? '' : { sealed })
    },
  }
}
