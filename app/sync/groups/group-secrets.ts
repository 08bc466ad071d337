import { lineOf } from '../../../schema/api/groups.ts'
import { isAccepted, type MessageDocument } from '../../../schema/message.ts'
import { isPassing, isUserGone } from '../../api/api-error.ts'
import { makeGroupSecret, storeGroupSecret } from '../../database/commands/make-group-secret.ts'
import { subscribeToChanges } from '../../database/storage/collections.ts'
import type { PetrelDatabase } from '../../database/storage/open-database.ts'
import { readEpochId } from '../../encryption/sealed-message.ts'

import { createBackOff, pause } from '../platform/back-off.ts'
import type { Platform } from '../platform/platform.ts'

export type GroupSecrets = ReturnType<typeof createGroupSecrets>

interface Written {
  epochId: string
  authorId: string
  place: number
}

/** Whose records are read at once: a group's newcomers may be many. */
const askedAtOnce = 4
/** Nobody who has no keys is asked for them more often: a group's devices may be many. */
const askAgainMs = 10 * 60_000
/** So long after the group took no further secret none from the past is offered to it. */
const offerAgainMs = 24 * 60 * 60_000

/** So long each member leaves the secrets from before to those who have been there longer. */
const turnMs = 500
const turnsMax = 120

/**
 * Makes secrets for groups, and gives them to who is added by this person, and to who was in a group
 * already when words of this person got there, and was unknown to them yet. Who reads what was
 * written before they came gets all secrets from then, of the first member whose device is there.
 */
export function createGroupSecrets(options: {
  database: Pick<PetrelDatabase, 'messages' | 'groupKeys' | 'groups' | 'sealing' | 'peerKeys'>
  userId: string
  /** The server's time as this device knows it, epoch ms. */
  now: () => number
  /** Reads a person's record, with their keys, from the server. */
  askPerson: (userId: string) => Promise<unknown>
  platform: Pick<Platform, 'page' | 'random'>
  onError: (cause: unknown) => void
}) {
  const { database, userId, now, askPerson, platform, onError } = options
  const { messages, groupKeys, groups, sealing, peerKeys } = database
  const closing = new AbortController()

  /** When whose record was read, on this device's clock. */
  const asked = new Map<string, number>()

  /** Whoever has deleted their account needs none. */
  async function askForKeys(id: string) {
    if (performance.now() - (asked.get(id) ?? Number.NEGATIVE_INFINITY) < askAgainMs) return
    await askPerson(id).catch((cause: unknown) => {
      if (!isUserGone(cause)) throw cause
    })
    asked.set(id, performance.now())
  }

  /** @param epochId the newest secret when it is absent */
  async function giveTo(
    userIds: readonly string[],
    { groupId, place, epochId }: { groupId: string; place: number; epochId?: string },
  ) {
    const unknown = userIds.filter((id) => groupKeys.listKeyless(groupId).includes(id))
    for (let at = 0; at < unknown.length; at += askedAtOnce) {
      await Promise.all(unknown.slice(at, at + askedAtOnce).map(askForKeys))
    }
    const epoch = userIds.length > 0 ? groupKeys.give(groupId, userIds, epochId) : undefined
    if (epoch) await storeGroupSecret(options, { epoch, groupId, place })
  }

  /** Up to which place each author has written with each secret, by the group. */
  const written = new Map<string, Map<string, Written>>()

  function noteWritten(groupId: string, { epochId, authorId, place }: Written) {
    const ofGroup = written.get(groupId) ?? new Map<string, Written>()
    const key = `${epochId} ${authorId}`
    const upTo = Math.max(place, ofGroup.get(key)?.place ?? 0)
    written.set(groupId, ofGroup.set(key, { epochId, authorId, place: upTo }))
  }

  /**
   * Who was in the group by then reads it, also those who had come without its author's knowing. The
   * author gives it to them, and of one who has left since the first who has it.
   */
  async function giveWritten(groupId: string) {
    const { members = [], hasLeft } = groups.get(groupId) ?? {}
    if (hasLeft) return
    const ids = members.map((one) => one.userId)
    for (const { epochId, authorId, place } of written.get(groupId)?.values() ?? []) {
      const without = new Set(groupKeys.listWithout(groupId, epochId, ids))
      const giverId = ids.includes(authorId) ? authorId : ids.find((id) => !without.has(id))
      if (without.size === 0 || giverId !== userId) continue
      const lacking = members.filter(
        (one) => without.has(one.userId) && Date.parse(one.joinedAt) <= place,
      )
      await giveTo(
        lacking.map((one) => one.userId),
        { groupId, place, epochId },
      )
    }
  }

  /** Which of the secrets that this person has who lacks, of those who read the whole past. */
  function listOwedPast(groupId: string) {
    const { members = [], hasLeft } = groups.get(groupId) ?? {}
    const readers = members.filter((one) => one.seesHistory).map((one) => one.userId)
    if (hasLeft || readers.length === 0) return []
    return groupKeys.listHeld(groupId).flatMap((epochId) => {
      const lacking = groupKeys.listWithout(groupId, epochId, readers)
      return lacking.length > 0 ? [{ epochId, lacking }] : []
    })
  }

  /** The groups whose past this device is about to give. */
  const giving = new Set<string>()
  /** Those where somebody reads the whole past. */
  const withReaders = new Set<string>()

  function noteReaders(groupIds: Iterable<string>) {
    for (const groupId of groupIds) {
      const isRead = groups.get(groupId)?.members.some((one) => one.seesHistory)
      if (isRead) withReaders.add(groupId)
      else withReaders.delete(groupId)
    }
  }

  /** Later for who came later, so that the others find it given; of those who are away nobody waits. */
  async function givePast(groupId: string) {
    if (giving.has(groupId) || listOwedPast(groupId).length === 0) return
    // Its room is full, or this person's: each attempt would stay here as a message that failed.
    if (now() - groupKeys.findRefused(groupId) < offerAgainMs) return
    const { random, page } = platform
    const backOff = createBackOff({ random })
    giving.add(groupId)
    /** Who has no keys is asked for them once. */
    const tried = new Set<string>()
    const listUntried = () =>
      listOwedPast(groupId).flatMap(({ epochId, lacking }) => {
        const untried = lacking.filter((id) => !tried.has(`${epochId} ${id}`))
        return untried.length > 0 ? [{ epochId, lacking: untried }] : []
      })
    const stopWatching = page.subscribe((event) => event === 'online' && backOff.hurry())
    const ids = groups.get(groupId)?.members.map((one) => one.userId) ?? []
    const turn = Math.min(Math.max(ids.indexOf(userId), 0), turnsMax) + 1
    try {
      await pause((turn + random()) * turnMs, closing.signal)
      // Somebody may have come meanwhile.
      for (let due = listUntried(); due.length > 0; due = listUntried()) {
        const attempt = await backOff.begin(closing.signal)
        try {
          for (const { epochId, lacking } of due) {
            await giveTo(lacking, { groupId, place: now(), epochId })
            for (const id of lacking) tried.add(`${epochId} ${id}`)
          }
        } catch (cause) {
          // Whose keys are unknown is asked of the server.
          if (!isPassing(cause)) throw cause
          backOff.fail(attempt)
        }
      }
    } finally {
      giving.delete(groupId)
      stopWatching()
      backOff.close()
    }
  }

  function lookAtPast(groupIds: Iterable<string>) {
    if (!sealing.isOn()) return
    for (const groupId of groupIds) {
      if (!withReaders.has(groupId)) continue
      givePast(groupId).catch((cause: unknown) => {
        if (!closing.signal.aborted) onError(cause)
      })
    }
  }

  /** Who comes by this line, and is to be given the secret by this person. */
  function listGiven(message: MessageDocument): readonly string[] {
    const { change, userIds } = lineOf(message) ?? {}
    const { senderId, peerId } = message
    if (change?.kind === 'add') return senderId === userId ? (userIds ?? []) : []
    // Nobody adds who comes by the link: one of the others does it for all.
    const owner = groups.get(peerId)?.members.find(({ role }) => role === 'owner')
    return change?.kind === 'join' && owner?.userId === userId ? [senderId] : []
  }

  const stopListening = subscribeToChanges(messages, ({ documents }) => {
    if (!sealing.isOn()) return
    const touched = new Set<string>()
    for (const document of documents) {
      const { peerId: groupId, senderId, sealed, orderedAt: place } = document
      // Whoever cannot be asked now gets the next secret, as soon as somebody writes.
      if (lineOf(document)) giveTo(listGiven(document), { groupId, place }).catch(onError)
      if (sealed === undefined || !groups.has(groupId) || !isAccepted(document)) continue
      noteWritten(groupId, { epochId: readEpochId(sealed), authorId: senderId, place })
      touched.add(groupId)
    }
    for (const groupId of touched) giveWritten(groupId).catch(onError)
    // A secret that came may be one that others lack.
    const brought = documents.filter((one) => one.epoch && isAccepted(one))
    lookAtPast(new Set(brought.map(({ peerId }) => peerId)))
  })
  const stopLooking = groups.onChange((groupIds) => {
    noteReaders(groupIds)
    if (!sealing.isOn()) return
    for (const groupId of groupIds) giveWritten(groupId).catch(onError)
    lookAtPast(groupIds)
  })
  const stopHearing = peerKeys.onChange(() => lookAtPast(withReaders))
  // A device that was closed in between may owe some.
  for (const { groupId, epochId, place } of groupKeys.listMade()) {
    noteWritten(groupId, { epochId, authorId: userId, place })
  }
  for (const groupId of written.keys()) giveWritten(groupId).catch(onError)
  noteReaders(groups.list().map(({ _id }) => _id))
  lookAtPast(withReaders)

  return {
    /** Makes one for the present members before this message, where all of them have keys. */
    async makeBefore({ peerId, orderedAt }: MessageDocument): Promise<void> {
      await makeGroupSecret(options, { groupId: peerId, before: orderedAt })
    },
    close() {
      stopListening()
      stopLooking()
      stopHearing()
      closing.abort(new Error('No more secrets are given.'))
    },
  }
}
