import type { PublicKeys } from '../../schema/encryption/account-keys.ts'
import { type AccountKeys, checkPublishedKeys } from './account-keys.ts'
import { fromBase64Url } from './base64-url.ts'
import { deriveEpoch, type Epoch, type FindEpoch, nameEpoch } from './sealed-message.ts'

/** The secrets of a person's conversations, from the keys of both sides that this device knows. */
export interface ConversationKeys {
  /**
   * What this person seals with to the other: from the newest keys of both. Undefined while either
   * has none.
   */
  findCurrent(peerId: string): Epoch | undefined
  /** Has this person published keys that they signed? */
  hasKeys(userId: string): boolean
  /** Also of former keys of either side. */
  find: FindEpoch
  /** The keys that this person has signed, newest first. */
  listValid(userId: string): readonly PublicKeys[]
  /** The secret of these keys and the other person's; undefined where nothing can be agreed on. */
  agree(own: AccountKeys, peer: PublicKeys): Epoch | undefined
}

interface Pair {
  id: string
  /** Null: nothing can be agreed on with these keys. */
  epoch?: Epoch | null
}

/**
 * Derives each secret at its first use: a thousandth of a second for each person.
 * @param sources.listOwn newest first
 * @param sources.listPeer newest first; checked here
 */
export function createConversationKeys(sources: {
  listOwn: () => readonly AccountKeys[]
  listPeer: (peerId: string) => readonly PublicKeys[]
}): ConversationKeys {
  const { listOwn, listPeer } = sources
  const pairs = new WeakMap<AccountKeys, Map<string, Pair>>()
  const checked = new Map<string, boolean>()

  function isValid(keys: PublicKeys, peerId: string): boolean {
    const name = JSON.stringify([peerId, keys])
    const known = checked.get(name) ?? checkPublishedKeys(keys, peerId)
    checked.set(name, known)
    return known
  }

  function pairOf(own: AccountKeys, { agreement }: PublicKeys): Pair {
    const ofOwn = pairs.get(own) ?? new Map<string, Pair>()
    pairs.set(own, ofOwn)
    const known = ofOwn.get(agreement)
    if (known) return known
    const pair = { id: nameEpoch(own.agreement.publicKey, fromBase64Url(agreement)) }
    ofOwn.set(agreement, pair)
    return pair
  }

  function readEpoch(own: AccountKeys, peer: PublicKeys): Epoch | undefined {
    const pair = pairOf(own, peer)
    if (pair.epoch === undefined) pair.epoch = tryDerive(own, peer)
    return pair.epoch ?? undefined
  }

  return {
    findCurrent(peerId) {
      const [own] = listOwn()
      const peer = own && listPeer(peerId).find((keys) => isValid(keys, peerId))
      return peer && readEpoch(own, peer)
    },
    hasKeys: (userId) => listPeer(userId).some((keys) => isValid(keys, userId)),
    listValid: (userId) => listPeer(userId).filter((keys) => isValid(keys, userId)),
    agree: readEpoch,
    find(peerId, epochId) {
      for (const own of listOwn()) {
        for (const peer of listPeer(peerId)) {
          if (!isValid(peer, peerId) || pairOf(own, peer).id !== epochId) continue
          return readEpoch(own, peer)
        }
      }
      return undefined
    },
  }
}

function tryDerive(own: AccountKeys, { agreement }: PublicKeys): Epoch | null {
  try {
    return deriveEpoch(own, fromBase64Url(agreement))
  } catch {
    return null
  }
}
