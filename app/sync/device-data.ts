import type { TimedSettings } from '../../schema/settings.ts'
import { createDrafts } from '../database/drafts/drafts.ts'
import { readLeftDrafts } from '../database/drafts/left-drafts.ts'
import { claimTabSlot } from '../database/drafts/tab-slot.ts'
import { createInbox } from '../database/storage/inbox.ts'
import type { KeyValueStorage } from '../database/storage/key-value-storage.ts'
import { openDatabase, type PetrelDatabase } from '../database/storage/open-database.ts'
import { openPeopleStore } from '../database/storage/people-store.ts'
import { readDocuments } from '../database/storage/read-documents.ts'
import { createConversationList } from '../database/views/conversation-list.ts'
import { createOwnSettings } from './own-settings.ts'
import { createKnownPeople, type PeopleSource } from './people/known-people.ts'
import { createPictures } from './people/pictures.ts'
import { listOwnTexts, namelessKeys, topChatsKey } from './platform/own-texts.ts'
import type { Platform } from './platform/platform.ts'
import type { RequestCalls } from './requests/request-calls.ts'
import type { RequestQueue } from './requests/requests.ts'

/**
 * Opens what this device holds of a person, and reads all that the first screen shows, with or
 * without a network.
 *
 * @throws when the device's database cannot be opened.
 */
export async function openDeviceData(options: {
  userId: string
  platform: Platform
  /** The server's time as this device knows it, epoch ms. */
  now: () => number
  source: PeopleSource
  calls: Pick<RequestCalls, 'messages' | 'own'>
  /** The queue opens later: it sends by means of what is read here. */
  findQueue: () => Pick<RequestQueue, 'requests' | 'concerns'>
  knownSettings: Partial<TimedSettings> | undefined
  onError: (cause: unknown) => void
}) {
  const { userId, platform, now, source, calls, findQueue, onError } = options
  const { indexedDB, IDBKeyRange, tab, texts, random } = platform
  const claiming = claimTabSlot({ locks: platform.locks, name: `petrel-tab-${userId}` })
  const opening = openDatabase({ userId, now, indexedDB, IDBKeyRange, tab })
  opening.catch(() => claiming.then(({ release }) => release()))
  const [database, slot] = await Promise.all([opening, claiming])
  const { name, device } = database
  const about = openPeopleStore({ name, indexedDB, IDBKeyRange })
  const inbox = createInbox({ name, indexedDB })
  const pictures = createPictures({
    table: about.pictures,
    download: (picture, how) => calls.messages.download(picture, how),
    now: platform.now,
    random,
    onError,
  })
  const list = createConversationList({
    database,
    onError,
    now,
    top: { texts, key: topChatsKey(userId) },
  })

  const [known, drafts, ownSettings] = await Promise.all([
    createKnownPeople({
      table: device.people,
      ownId: userId,
      source,
      onError,
      isGroup: database.groups.has,
      isMet: (userId) =>
        list.conversations.getSnapshot().some((row) => row.peerId === userId) ||
        findQueue().concerns(userId),
      onRecords: (people) => void database.peerKeys.take(people).catch(onError),
      onPictureGone: (address) => void pictures.drop(address).catch(onError),
      random,
      now: () => performance.now(),
    }),
    createDrafts({
      drafts: device.drafts,
      userId,
      slot,
      texts,
      now: platform.now,
      onError,
      readLeft: () => readLeftDrafts(database.messages),
      findStored: async (ids) => new Set((await readDocuments(database.messages, ids)).keys()),
    }),
    createOwnSettings({
      userId,
      table: device.settings,
      texts,
      findRequests: () => findQueue().requests,
      async readOwn() {
        const own = await calls.own.me()
        await database.peerKeys.take([own])
        return own
      },
      known: options.knownSettings,
      now,
      onError,
    }),
    list.ready,
  ])

  return {
    database,
    /** Which of the device's tabs this is. */
    slot,
    about,
    inbox,
    list,
    known,
    pictures,
    drafts,
    ownSettings,

    /** Closes the stores, once nothing uses them any more. */
    async close() {
      about.close()
      await database.close()
    },

    /** Closes the stores and deletes them from the device. */
    async erase() {
      await about.remove()
      await inbox.erase()
      await eraseDevice({ database, userId, texts })
    },
  }
}

/**
 * Deletes all of a person's data on this device: every collection, replication metadata, drafts.
 */
export async function eraseDevice(options: {
  database: PetrelDatabase
  userId: string
  texts?: KeyValueStorage
}): Promise<void> {
  const { database, userId, texts } = options
  if (texts) {
    for (const key of [...listOwnTexts(texts, userId), ...namelessKeys]) texts.removeItem(key)
  }
  await database.remove()
}
