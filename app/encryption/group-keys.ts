import { ed25519 } from '@noble/curves/ed25519.js'
import { hkdf } from '@noble/hashes/hkdf.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { randomBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import type { PublicKeys } from '../../schema/encryption/account-keys.ts'
import { type GroupEpoch, groupEpochFormat } from '../../schema/group-epoch.ts'
import type { MessageDocument } from '../../schema/message.ts'
import type { AccountKeys } from './account-keys.ts'
import { fromBase64Url, toBase64Url } from './base64-url.ts'
import type { ConversationKeys } from './conversation-keys.ts'
import {
  type Authors,
  type Epoch,
  nameEpoch,
  openBytes,
  readEpochId,
  sealBytes,
} from './sealed-message.ts'

/** A message that has a secret of its group. */
export type EpochMessage = Pick<MessageDocument, '_id' | 'peerId' | 'senderId' | 'orderedAt'> &
  Partial<Pick<MessageDocument, 'status'>> & { epoch: GroupEpoch }

/**
 * The secrets of a person's groups. Any member makes one, offline too, sealed to each member by the
 * secret that the two of them share; a group has a new one as soon as its people change. Two that
 * are made at the same time are both good.
 */
export interface GroupKeys {
  /** Takes in messages with secrets, in any order. */
  take(messages: readonly EpochMessage[]): void
  /** The secret with this id, if this person has it. */
  find(groupId: string, epochId: string): Epoch | undefined
  /** What this person seals with: the newest secret that exactly the present members have. */
  findCurrent(groupId: string): Epoch | undefined
  /** Members whose keys this device has never seen. */
  listKeyless(groupId: string): readonly string[]
  /**
   * A new secret for the present members; undefined while one of them has no keys here. Where
   * nothing can be agreed with one of them, the others get it and write on.
   */
  make(groupId: string): GroupEpoch | undefined
  /**
   * A secret that this person has, for those among these members who lack it and have keys.
   * @param epochId the newest one when it is absent
   */
  give(groupId: string, userIds: readonly string[], epochId?: string): GroupEpoch | undefined
  /** The secrets of this group that this person has. */
  listHeld(groupId: string): readonly string[]
  /** Who among these was never given this secret, where they read it. */
  listWithout(groupId: string, epochId: string, userIds: readonly string[]): readonly string[]
  /** The newest place, epoch ms, of a secret that the group refused; 0 for none. */
  findRefused(groupId: string): number
  /** The secrets that this person made, each with the place of the first message that has it. */
  listMade(): readonly { groupId: string; epochId: string; place: number }[]
}

/** A secret, and who was given it. */
interface Held {
  groupId: string
  name: string
  /** The place of the first message that has it. */
  orderedAt: number
  /** For each person, each box with who made it. */
  boxes: Map<string, Given[]>
  secret?: Uint8Array
  epoch?: Epoch
}

interface Given {
  box: string
  makerId: string
  messageId: string
  /** The place of that message. */
  place: number
}

const secretBytes = 32

export function createGroupKeys(sources: {
  userId: string
  /** Who is in this group now; undefined for one that this device does not know. */
  listMembers: (groupId: string) => readonly string[] | undefined
  /** The place from which this member reads the group: nothing before it reaches them. */
  readsFrom: (groupId: string, memberId: string) => number
  /** Newest first. */
  listOwn: () => readonly AccountKeys[]
  pairs: Pick<ConversationKeys, 'listValid' | 'agree'>
}): GroupKeys {
  const { userId, listMembers, readsFrom, listOwn, pairs } = sources
  /** By group and name: whoever names a secret in another group hides nothing in its own. */
  const held = new Map<string, Held>()
  /** Messages that the group refused, with their places: what they give reached nobody. */
  const refused = new Map<string, { groupId: string; place: number }>()

  const authors: Authors = {
    sign(text) {
      const [own] = listOwn()
      if (!own) throw new Error('Nothing is sealed without keys.')
      return toBase64Url(ed25519.sign(text, own.signing.secretKey))
    },
    check(authorId, { text, signature }) {
      const keys =
        authorId === userId
          ? listOwn().map(({ signing }) => signing.publicKey)
          : pairs.listValid(authorId).map(({ signing }) => fromBase64Url(signing))
      const isTheirs = keys.some((key) => isSignedBy(key, { text, signature }))
      // Their newest keys may not have been read yet.
      return isTheirs || (authorId !== userId && keys.length === 0 ? undefined : false)
    },
  }

  function takeOne({ _id, peerId, senderId, orderedAt, status, epoch }: EpochMessage) {
    const { v, name } = epoch
    if (status === 'failed') refused.set(_id, { groupId: peerId, place: orderedAt })
    else refused.delete(_id)
    if (v > groupEpochFormat) return
    const key = keyOf(peerId, name)
    const known: Held = held.get(key) ?? { groupId: peerId, name, orderedAt, boxes: new Map() }
    known.orderedAt = Math.min(known.orderedAt, orderedAt)
    for (const [ownerId, box] of Object.entries(epoch.boxes)) {
      const boxes = known.boxes.get(ownerId) ?? []
      const others = boxes.filter((one) => one.box !== box || one.messageId !== _id)
      // The server's place may be another than the one it was sent with.
      const given = { box, makerId: senderId, messageId: _id, place: orderedAt }
      known.boxes.set(ownerId, [...others, given])
    }
    held.set(key, known)
  }

  /** The secret that this person shares with the maker of a box, by the id that it names. */
  function findPair(makerId: string, pairId: string): Epoch | undefined {
    for (const own of listOwn()) {
      const peers = makerId === userId ? [publicOf(own)] : pairs.listValid(makerId)
      for (const peer of peers) {
        const pair = pairs.agree(own, peer)
        if (pair?.id === pairId) return pair
      }
    }
    return undefined
  }

  function findSecret(known: Held): Uint8Array | undefined {
    if (known.secret) return known.secret
    const { groupId, name } = known
    for (const { box, makerId } of known.boxes.get(userId) ?? []) {
      const epoch = findPair(makerId, readEpochId(box))
      if (!epoch) continue
      try {
        const context = describeBox({ groupId, name, makerId, ownerId: userId })
        const secret = openBytes(box, { context, epoch })
        // Another's mistake, or malice: another box may have the right one.
        if (nameSecret(secret, groupId) !== name) continue
        known.secret = secret
        return secret
      } catch {
        // As above.
      }
    }
    return undefined
  }

  function open(known: Held | undefined): Epoch | undefined {
    const secret = known && findSecret(known)
    if (!known || !secret) return undefined
    known.epoch ??= { ...deriveGroupEpoch(secret, known.name), authors }
    return known.epoch
  }

  const listGiven = ({ boxes }: Held, ownerId: string) =>
    (boxes.get(ownerId) ?? []).filter(({ messageId }) => !refused.has(messageId))
  const isGiven = (one: Held, ownerId: string) => listGiven(one, ownerId).length > 0

  /** What was given to a member while they were out of the group, or before they came, has not reached them. */
  function listReached(one: Held, ownerId: string) {
    const from = readsFrom(one.groupId, ownerId)
    return listGiven(one, ownerId).filter(({ place }) => place >= from)
  }

  /** Was this person given the secret with the keys that they have now? */
  function hasBox(one: Held, ownerId: string, given = listGiven(one, ownerId)): boolean {
    const [keys] = keysOf(ownerId)
    if (!keys) return false
    const agreement = fromBase64Url(keys.agreement)
    return given.some(({ box, makerId }) =>
      keysOf(makerId).some(
        (maker) => nameEpoch(fromBase64Url(maker.agreement), agreement) === readEpochId(box),
      ),
    )
  }

  function keysOf(ownerId: string): readonly Pick<PublicKeys, 'agreement'>[] {
    return ownerId === userId ? listOwn().map(publicOf) : pairs.listValid(ownerId)
  }

  /** The newest secret of the group that this person has, among those that are as wanted. */
  function findNewest(groupId: string, isWanted: (one: Held) => boolean): Held | undefined {
    const found = [...held.values()].filter(
      (one) =>
        one.groupId === groupId &&
        isGiven(one, userId) &&
        isWanted(one) &&
        findSecret(one) !== undefined,
    )
    found.sort((a, b) => b.orderedAt - a.orderedAt || (a.name < b.name ? -1 : 1))
    return found[0]
  }

  function findCurrent(groupId: string): Epoch | undefined {
    const members = listMembers(groupId)
    if (!members?.includes(userId)) return undefined
    const present = new Set(members)
    return open(
      findNewest(
        groupId,
        (one) =>
          [...one.boxes.keys()].every((id) => present.has(id) || !isGiven(one, id)) &&
          members.every((ownerId) => hasBox(one, ownerId) || isUnsealable(ownerId)),
      ),
    )
  }

  /** Keys that sealing has failed with, whatever the reason. */
  const unsealable = new Set<string>()

  function tryAgree(own: AccountKeys, peer: PublicKeys): Epoch | undefined {
    try {
      return pairs.agree(own, peer)
    } catch {
      return undefined
    }
  }

  /** Has this member keys with which nothing can be sealed for them? */
  function isUnsealable(ownerId: string): boolean {
    const [own] = listOwn()
    const [peer] = ownerId === userId ? [] : pairs.listValid(ownerId)
    if (!own || !peer) return false
    return unsealable.has(peer.agreement) || tryAgree(own, peer) === undefined
  }

  function sealOne(
    ownerId: string,
    given: { own: AccountKeys; secret: Uint8Array; groupId: string; name: string },
  ): string | undefined {
    const { own, secret, groupId, name } = given
    const peer = ownerId === userId ? publicOf(own) : pairs.listValid(ownerId)[0]
    try {
      const epoch = peer && tryAgree(own, peer)
      const context = describeBox({ groupId, name, makerId: userId, ownerId })
      return epoch && sealBytes(secret, { context, epoch })
    } catch {
      if (peer) unsealable.add(peer.agreement)
      return undefined
    }
  }

  function sealTo(
    ownerIds: readonly string[],
    { secret, groupId }: { secret: Uint8Array; groupId: string },
  ): GroupEpoch | undefined {
    const [own] = listOwn()
    if (!own) return undefined
    const name = nameSecret(secret, groupId)
    const boxes: Record<string, string> = {}
    for (const ownerId of ownerIds) {
      const box = sealOne(ownerId, { own, secret, groupId, name })
      if (box !== undefined) boxes[ownerId] = box
    }
    return Object.keys(boxes).length > 0 ? { v: groupEpochFormat, name, boxes } : undefined
  }

  return {
    take(messages) {
      for (const message of messages) takeOne(message)
    },
    find: (groupId, epochId) => open(held.get(keyOf(groupId, epochId))),
    findCurrent,
    listKeyless: (groupId) =>
      (listMembers(groupId) ?? []).filter((id) => id !== userId && keysOf(id).length === 0),
    make(groupId) {
      const members = listMembers(groupId)
      if (!members?.includes(userId)) return undefined
      if (members.some((id) => keysOf(id).length === 0)) return undefined
      return sealTo(members, { secret: randomBytes(secretBytes), groupId })
    },
    give(groupId, userIds, epochId) {
      const one =
        epochId === undefined ? findNewest(groupId, () => true) : held.get(keyOf(groupId, epochId))
      const secret = one && findSecret(one)
      if (!one || !secret) return undefined
      const lacking = userIds.filter(
        (id) => keysOf(id).length > 0 && !hasBox(one, id, listReached(one, id)),
      )
      return lacking.length > 0 ? sealTo(lacking, { secret, groupId }) : undefined
    },
    listHeld: (groupId) =>
      [...held.values()].flatMap((one) =>
        one.groupId === groupId && isGiven(one, userId) && findSecret(one) ? [one.name] : [],
      ),
    listWithout(groupId, epochId, userIds) {
      const one = held.get(keyOf(groupId, epochId))
      return one ? userIds.filter((id) => listReached(one, id).length === 0) : []
    },
    findRefused: (groupId) =>
      [...refused.values()].reduce(
        (newest, one) => (one.groupId === groupId ? Math.max(newest, one.place) : newest),
        0,
      ),
    listMade: () =>
      [...held.values()].flatMap((one) => {
        const isMade = listGiven(one, userId).some(({ makerId }) => makerId === userId)
        const { groupId, name, orderedAt } = one
        return isMade ? [{ groupId, epochId: name, place: orderedAt }] : []
      }),
  }
}

const keyOf = (groupId: string, name: string) => [groupId, name].join(' ')

const publicOf = ({ number, agreement, signing }: AccountKeys): PublicKeys => ({
  v: 1,
  number,
  agreement: toBase64Url(agreement.publicKey),
  signing: toBase64Url(signing.publicKey),
  signature: '',
})

/** Binds a box to its place: a secret that is moved elsewhere opens nowhere. */
function describeBox(place: { groupId: string; name: string; makerId: string; ownerId: string }) {
  const { groupId, name, makerId, ownerId } = place
  return utf8ToBytes(
    ['petrel group secret', groupEpochFormat, groupId, name, makerId, ownerId].join('\n'),
  )
}

/** Only this secret has this name: nobody can give another one away under it. */
function nameSecret(secret: Uint8Array, groupId: string): string {
  const named = utf8ToBytes(`petrel group epoch name v1\n${groupId}\n${toBase64Url(secret)}`)
  return toBase64Url(sha256(named).subarray(0, 16))
}

function deriveGroupEpoch(secret: Uint8Array, name: string): Epoch {
  const derived = hkdf(sha256, secret, undefined, utf8ToBytes(`petrel group epoch v1\n${name}`), 64)
  return { id: name, boxKey: derived.subarray(0, 32), nonceKey: derived.subarray(32) }
}

function isSignedBy(key: Uint8Array, given: { text: Uint8Array; signature: string }): boolean {
  try {
    return ed25519.verify(fromBase64Url(given.signature), given.text, key)
  } catch {
    return false
  }
}
