import type { PublicKeys } from '../../../schema/encryption/account-keys.ts'
import { areValuesEqual } from '../../../schema/helpers/equality.ts'
import type { PetrelDatabase } from '../../database/storage/open-database.ts'
import {
  createLiveValue,
  type LiveValue,
  type SettableLiveValue,
} from '../../database/views/live-value.ts'
import { checkPublishedKeys, publishKeys } from '../../encryption/account-keys.ts'
import { proveKeys, safetyNumber } from '../../encryption/safety-number.ts'

/**
 * `sealed`: only its people can read what is written from now on. `locked`: the same, but this
 * device lacks this person's keys, and what is written waits for them. `plain`: the other person, or
 * somebody in the group, has no keys. `off`: this person has none, and no screen says anything of it.
 */
export type EncryptionState = 'off' | 'sealed' | 'locked' | 'plain'

/** Does nothing that is written to the other person leave in plain? */
export function isEncrypted(state: EncryptionState): boolean {
  return state === 'sealed' || state === 'locked'
}

/** How sure a person can be of another one's key. */
export interface PeerTrust {
  /** Did this person compare the keys that both have now, and say so? On any of their devices. */
  isVerified: boolean
  /** When this device has seen the other's key change, epoch ms, oldest first. */
  changedAt: readonly number[]
}

/** How each chat is protected, as far as this device knows the keys of both. */
export interface EncryptionStates {
  /** The same live value for the same person. */
  of(peerId: string): LiveValue<EncryptionState>
  /** Who in a group has no keys yet, so that it is `plain`; the same live value for the same group. */
  keylessIn(groupId: string): LiveValue<readonly string[]>
  /** The same live value for the same person. */
  trustIn(peerId: string): LiveValue<PeerTrust>
  /**
   * The 60 digits for both people to compare: a tenth of a second of computing at first. Undefined
   * while either has no keys, or this device lacks the present own ones.
   */
  readSafetyNumber(peerId: string): string | undefined
  /**
   * Marks this person as compared by this safety number, or takes the mark away.
   * @throws with words where the number is not the present one any more
   */
  verify(peerId: string, number: string): Promise<void>
  unverify(peerId: string): Promise<void>
}

export function createEncryptionStates(options: {
  userId: string
  database: Pick<PetrelDatabase, 'sealing' | 'keyring' | 'peerKeys' | 'groups'>
  settings: {
    /** The proofs of people whose keys were compared, by their ids. */
    proofs: LiveValue<Readonly<Record<string, string>>>
    setProof(userId: string, proof: string | undefined): Promise<void>
  }
}): EncryptionStates & { close(): void } {
  const { userId, settings } = options
  const { sealing, keyring, peerKeys, groups } = options.database
  const states = new Map<string, SettableLiveValue<EncryptionState>>()
  const trusts = new Map<string, SettableLiveValue<PeerTrust>>()
  const keyless = new Map<string, SettableLiveValue<readonly string[]>>()
  const numbers = new Map<string, string>()
  const checked = new WeakMap<PublicKeys, boolean>()

  /** Newest first; those that the person has signed. */
  function listValid(peerId: string): PublicKeys[] {
    return peerKeys.list(peerId).filter((keys) => {
      const isValid = checked.get(keys) ?? checkPublishedKeys(keys, peerId)
      checked.set(keys, isValid)
      return isValid
    })
  }

  /** The own keys, unless another device has newer ones. */
  function findOwn() {
    const own = keyring.current()
    const [published] = listValid(userId)
    return own && (published?.number ?? 0) <= own.number ? own : undefined
  }

  function readState(peerId: string): EncryptionState {
    if (!sealing.isOn()) return 'off'
    if (sealing.canSeal(peerId)) return 'sealed'
    if (!sealing.mustSeal(peerId)) return 'plain'
    // Whoever writes next makes the secret that a group has yet to have.
    return groups.has(peerId) && findOwn() ? 'sealed' : 'locked'
  }

  function readTrust(peerId: string): PeerTrust {
    const all = listValid(peerId)
    const [keys] = all
    const own = findOwn()
    const proof = settings.proofs.getSnapshot()[peerId]
    const isVerified =
      own !== undefined && keys !== undefined && proof === proveKeys(own, { userId: peerId, keys })
    return { isVerified, changedAt: listChanges(peerId, all) }
  }

  /** A former key that is learnt of later is no change. */
  function listChanges(peerId: string, all: readonly PublicKeys[]): number[] {
    const timed = all.map((keys) => ({
      number: keys.number,
      at: peerKeys.findSeenAt(peerId, keys) ?? 0,
    }))
    const changes = new Set<number>()
    let newest = 0
    for (const { number, at } of timed.sort((a, b) => a.at - b.at || a.number - b.number)) {
      if (number < newest) continue
      if (newest > 0 && at > 0) changes.add(at)
      newest = number
    }
    return [...changes]
  }

  function listKeyless(groupId: string): readonly string[] {
    const members = groups.get(groupId)?.members ?? []
    return members
      .map((one) => one.userId)
      .filter((id) => id !== userId && listValid(id).length === 0)
  }

  function refresh(peerIds: Iterable<string>) {
    for (const peerId of peerIds) {
      states.get(peerId)?.set(readState(peerId))
      const trust = trusts.get(peerId)
      const next = readTrust(peerId)
      if (trust && !areValuesEqual(trust.getSnapshot(), next)) trust.set(next)
      const lacking = keyless.get(peerId)
      const still = lacking && listKeyless(peerId)
      if (still && !areValuesEqual(lacking.getSnapshot(), still)) lacking.set(still)
    }
  }

  const refreshAll = () =>
    refresh(new Set([states, trusts, keyless].flatMap((values) => [...values.keys()])))

  function readSafetyNumber(peerId: string): string | undefined {
    const own = findOwn()
    const [keys] = listValid(peerId)
    if (!own || !keys) return undefined
    const sides = [
      { userId, keys: publishKeys(own, userId) },
      { userId: peerId, keys },
    ] as const
    const name = JSON.stringify(sides)
    const number = numbers.get(name) ?? safetyNumber(...sides)
    numbers.set(name, number)
    return number
  }

  const stops = [
    keyring.onChange(refreshAll),
    // With other own keys every proof has to be looked at.
    peerKeys.onChange((ids) => {
      // A group is sealed once all who are in it have keys.
      if (ids.includes(userId)) refreshAll()
      else refresh([...ids, ...[...states.keys(), ...keyless.keys()].filter(groups.has)])
    }),
    groups.onChange(refresh),
    settings.proofs.subscribe(refreshAll),
  ]
  return {
    of: (peerId) => remember(states, peerId, readState),
    keylessIn: (groupId) => remember(keyless, groupId, listKeyless),
    trustIn: (peerId) => remember(trusts, peerId, readTrust),
    readSafetyNumber,
    async verify(peerId, number) {
      const own = findOwn()
      const [keys] = listValid(peerId)
      if (!own || !keys || readSafetyNumber(peerId) !== number) {
        throw new Error('The security code changed meanwhile. Compare the new one.')
      }
      await settings.setProof(peerId, proveKeys(own, { userId: peerId, keys }))
    },
    unverify: (peerId) => settings.setProof(peerId, undefined),
    close() {
      for (const stop of stops) stop()
    },
  }
}

function remember<T>(
  values: Map<string, SettableLiveValue<T>>,
  peerId: string,
  read: (peerId: string) => T,
): LiveValue<T> {
  const known = values.get(peerId)
  if (known) return known
  const value = createLiveValue(read(peerId))
  values.set(peerId, value)
  return value
}
