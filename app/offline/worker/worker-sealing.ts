import * as z from 'zod/mini'
import { wireHeader, wireVersion } from '../../../schema/api/wire.ts'
import { type PublicKeys, publicKeys } from '../../../schema/encryption/account-keys.ts'
import { type MessageDocument, messageDocument } from '../../../schema/message.ts'
import type { StoredKeys } from '../../database/storage/keyring.ts'
import type { StoredGroupBox } from '../../database/storage/open-device-store.ts'
import type { StoredPeerKeys } from '../../database/storage/peer-keys.ts'
import { createConversationKeys } from '../../encryption/conversation-keys.ts'
import { createGroupKeys } from '../../encryption/group-keys.ts'
import {
  type FindEpoch,
  type OpenedMessage,
  openMessage,
  sealMessage,
} from '../../encryption/sealed-message.ts'

const askMs = 15_000

/** A record with its keys; the whole schema would make the worker's script larger. */
const record = z.object({ _id: z.string(), keys: z.optional(publicKeys) })

/**
 * What a reply may leave as. `later`: its reader's keys could not be asked for. `app`: this device
 * cannot seal it, and it must not leave in plain.
 */
export type SealedReply =
  | { kind: 'sealed'; sealed: string }
  | { kind: 'plain' }
  | { kind: 'later' | 'app' }

/** Opens what a push names, and seals what is answered to it, with the keys of the app. */
export interface WorkerSealing {
  /** @param records people's records that came with the messages */
  open(messages: readonly MessageDocument[], records: readonly unknown[]): OpenedMessage[]
  sealReply(
    reply: { id: string; peerId: string; text: string; isGroup?: boolean },
    server: { origin: string; token: string },
  ): Promise<SealedReply>
}

/**
 * Reads this person's keys from the app's store. Where that store is gone, or cannot be read, it opens nothing, and
 * every reply is for the app: it cannot say that there are no keys.
 */
export async function openWorkerSealing(userId: string): Promise<WorkerSealing> {
  const { isRead, own, peers, boxes } = await readKeys(`petrel-${userId}-device`)
  const listPeer = (peerId: string) => peers.get(peerId) ?? []
  const listOwn = () => own
  const keys = createConversationKeys({ listOwn, listPeer })
  const ofGroups = createGroupKeys({
    userId,
    listOwn,
    pairs: keys,
    listMembers: () => undefined,
    readsFrom: () => 0,
  })
  ofGroups.take(boxes.map((one) => toSecret(one, userId)))
  const groupIds = new Set(boxes.map(({ groupId }) => groupId))
  const find: FindEpoch = (peerId, epochId) =>
    (groupIds.has(peerId) ? ofGroups : keys).find(peerId, epochId)
  const isWithKeys = own.length > 0 || listPeer(userId).length > 0

  function take(records: readonly unknown[]) {
    for (const each of records) {
      const read = record.safeParse(each)
      if (read.success && read.data.keys) add(peers, read.data._id, [read.data.keys])
    }
  }

  return {
    open(messages, records) {
      take(records)
      return messages.map((message) => openMessage(message, find))
    },
    async sealReply({ id, peerId, text, isGroup }, { origin, token }) {
      if (!isRead) return { kind: 'app' }
      if (!isWithKeys) return { kind: 'plain' }
      // Only the app knows who is in it now, and has to have its present secret.
      if (isGroup) return { kind: 'app' }
      if (listPeer(peerId).length === 0) {
        const person = await readPerson({ origin, token, peerId })
        if (!person) return { kind: 'later' }
        take([person])
      }
      const epoch = keys.findCurrent(peerId)
      if (!epoch) return { kind: listPeer(peerId).length > 0 ? 'app' : 'plain' }
      const message = messageDocument.parse({
        _id: id,
        peerId,
        senderId: userId,
        recipientId: peerId,
        content: text,
        createdAt: 0,
        orderedAt: 0,
      })
      const given = { before: undefined, userId, epoch, findEpoch: keys.find }
      const { sealed } = sealMessage(message, given)
      return sealed === undefined ? { kind: 'app' } : { kind: 'sealed', sealed }
    },
  }
}

function toSecret(
  { _id, groupId, makerId, orderedAt, v, name, box }: StoredGroupBox,
  userId: string,
) {
  const epoch = { v, name, boxes: { [userId]: box } }
  return { _id, peerId: groupId, senderId: makerId, orderedAt, epoch }
}

async function readPerson(asked: { origin: string; token: string; peerId: string }) {
  const { origin, token, peerId } = asked
  const headers = { authorization: `Bearer ${token}`, [wireHeader]: String(wireVersion) }
  const signal = AbortSignal.timeout(askMs)
  const response = await fetch(`${origin}/api/users/${peerId}`, { headers, signal }).catch(
    () => undefined,
  )
  const body = response?.ok ? await response.json().catch(() => undefined) : undefined
  const read = record.safeParse(body)
  // A hotel's sign-in page answers 200 to everything.
  return read.success && read.data._id === peerId ? read.data : undefined
}

type Peers = Map<string, PublicKeys[]>

function add(peers: Peers, userId: string, keys: readonly PublicKeys[]) {
  const all = [...keys, ...(peers.get(userId) ?? [])]
  peers.set(
    userId,
    all.toSorted((a, b) => b.number - a.number),
  )
}

/** Without Dexie, and without creating what the app has not created. */
async function readKeys(name: string) {
  const tables = await readTables(name).catch(() => undefined)
  const [own, rows, boxes] = tables ?? [[], [], []]
  const peers: Peers = new Map()
  for (const { _id, keys } of rows) add(peers, _id, keys)
  const newestFirst = own.map(({ keys }) => keys).toSorted((a, b) => b.number - a.number)
  return { isRead: tables !== undefined, own: newestFirst, peers, boxes }
}

type Tables = readonly [StoredKeys[], StoredPeerKeys[], StoredGroupBox[]]

async function readTables(name: string): Promise<Tables> {
  const database = await openExisting(name)
  try {
    // The app that wrote it may be older than this worker.
    const hasBoxes = database.objectStoreNames.contains('groupBoxes')
    const tables = ['keyring', 'peerKeys', ...(hasBoxes ? ['groupBoxes'] : [])]
    const transaction = database.transaction(tables, 'readonly')
    const read = <T>(table: string) => toPromise<T[]>(transaction.objectStore(table).getAll())
    return await Promise.all([
      read<StoredKeys>('keyring'),
      read<StoredPeerKeys>('peerKeys'),
      hasBoxes ? read<StoredGroupBox>('groupBoxes') : [],
    ])
  } finally {
    database.close()
  }
}

function openExisting(name: string): Promise<IDBDatabase> {
  const opening = indexedDB.open(name)
  opening.onupgradeneeded = () => opening.transaction?.abort()
  return toPromise(opening)
}

function toPromise<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error ?? new Error('Nothing was read.'))
  })
}
