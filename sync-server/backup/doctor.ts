import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { AccountsDocument } from '../access/account-documents.ts'
import {
  fileKey,
  isFile,
  type MediaDocument,
  pieceBytes,
  pieceKey,
} from '../media/media-documents.ts'
import { type OrderEntry, parseOrderEntry } from '../messages/copies/order-entry.ts'
import { ordersDatabase } from '../messages/copies/order-journal.ts'
import type { RangeOptions } from '../storage/documents/database.ts'
import { nameMessagesDatabase } from '../storage/documents/database-names.ts'
import { idsFrom } from '../storage/documents/documents.ts'
import type { Storage } from '../storage/storage.ts'
import { BackupRefused } from './backups.ts'
import { dataFormat, migrateData } from './data-format.ts'
import { type BackupChecked, isInUse, restoreBackup } from './restore.ts'

const pageSize = 500
const examplesMax = 5

/** One kind of fault: how many there are, some of them, and what mends it. */
export interface Finding {
  what: string
  count: number
  examples: string[]
  mend: string
}

export interface Diagnosis {
  format: number
  formatOfThisVersion: number
  people: number
  places: number
  files: number
  findings: Finding[]
}

/** What an upgrade did to a copy. */
export interface Rehearsal {
  backup: BackupChecked
  before: Diagnosis
  after: Diagnosis
  /** Of the migrations alone: so long a start takes more, once. */
  seconds: number
}

/**
 * Upgrades a copy: restores a backup into a folder beside the data, brings it to the format of this
 * version as a start does, and reads all of it before and after. The folder goes in the end.
 * @param openStorage opens the store in a folder
 * @throws BackupRefused with words
 */
export async function rehearseUpgrade(options: {
  path: string
  dataDir: string
  identity?: string | undefined
  openStorage: (dataDir: string) => Storage
}): Promise<Rehearsal> {
  const { path, identity, openStorage } = options
  const folder = join(options.dataDir, 'rehearsal')
  if (await isInUse(folder)) {
    throw new BackupRefused('Another rehearsal is under way. Wait until it is over.')
  }
  // A kill may have left one.
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true, mode: 0o700 })
  try {
    const backup = await restoreBackup({
      path,
      dataDir: folder,
      identity,
      requireStopped: async () => undefined,
    })
    const storage = openStorage(folder)
    try {
      await storage.ready()
      const before = await examineData(storage)
      const startedAt = performance.now()
      await migrateData({ storage, onMigrated: () => undefined })
      const seconds = (performance.now() - startedAt) / 1000
      return { backup, before, after: await examineData(storage), seconds }
    } finally {
      await storage.close()
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/**
 * Reads all of a store: has each message its copies, each file its owner and its pieces? Changes
 * nothing.
 */
export async function examineData(storage: Storage): Promise<Diagnosis> {
  const findings = new Map<string, Finding>()
  const formats = storage.database<{ _id: string; format: number }>('formats')
  const format = (await formats.read(['data'])).get('data')?.format ?? 1
  const people = new Set<string>()
  await readAll<AccountsDocument>(storage, 'accounts', idsFrom('user:'), async (page) => {
    for (const account of page) if ('passwordHash' in account) people.add(account.userId)
  })
  const counted = { places: 0, files: 0 }

  function find(what: string, mend: string, example: string) {
    const finding = findings.get(what) ?? { what, count: 0, examples: [], mend }
    finding.count += 1
    if (finding.examples.length < examplesMax) finding.examples.push(example)
    findings.set(what, finding)
  }

  await readAll<OrderEntry>(storage, ordersDatabase, {}, async (page) => {
    const wanted = new Map<string, { id: string; isAuthor: boolean }[]>()
    for (const entry of page) {
      const parsed = parseOrderEntry(entry)
      if (!parsed) continue
      counted.places += 1
      const owners = [
        ...(entry.isClaimed ? [] : [entry.senderId]),
        ...(entry.isHeld ? [] : [parsed.recipientId]),
      ]
      for (const owner of owners.filter((userId) => people.has(userId))) {
        const own = wanted.get(owner) ?? []
        own.push({ id: entry.messageId, isAuthor: owner === entry.senderId })
        wanted.set(owner, own)
      }
    }
    for (const [owner, ids] of wanted) {
      const stored = await storage
        .database(nameMessagesDatabase(owner))
        .read(ids.map(({ id }) => id))
      for (const { id, isAuthor } of ids.filter((one) => !stored.has(one.id))) {
        if (isAuthor) {
          find(
            'Places of messages without the copy of their author',
            'The next start completes those that a crash left; others come back from a device that has them.',
            `${id} of ${owner}`,
          )
        } else {
          find(
            'Messages without the copy of the other person',
            'The next start completes them from the copy of their author.',
            `${id} for ${owner}`,
          )
        }
      }
    }
  })

  await readAll<MediaDocument>(storage, 'media', idsFrom(fileKey('')), async (page) => {
    for (const file of page.filter(isFile)) {
      counted.files += 1
      if (file.state !== 'ready') continue
      if (!people.has(file.ownerId) && file.looseSince !== undefined) {
        find(
          'Files of people who have left, which no message has',
          'The sweep removes them within a day.',
          file.mediaId,
        )
      }
      const last = Math.max(Math.ceil(file.size / pieceBytes) - 1, 0)
      const pieces = storage.attachments('media')
      const listed = await pieces.list({
        startkey: pieceKey(file.mediaId, 0),
        endkey: pieceKey(file.mediaId, last),
      })
      if (file.size > 0 && listed.length < last + 1) {
        find(
          'Files without all of their pieces',
          'The device that sent them offers them again when somebody opens them; a backup has them too.',
          `${file.mediaId}: ${listed.length} of ${last + 1}`,
        )
      }
    }
  })

  return {
    format,
    formatOfThisVersion: dataFormat,
    people: people.size,
    ...counted,
    findings: [...findings.values()],
  }
}

async function readAll<Body extends { _id: string }>(
  storage: Storage,
  name: string,
  range: RangeOptions,
  take: (page: readonly Body[]) => Promise<void>,
) {
  const next = { ...range, limit: pageSize }
  for (;;) {
    const page = (await storage.database<Body>(name).range(next)) as Body[]
    await take(page)
    const last = page.at(-1)
    if (!last || page.length < pageSize) return
    next.startkey = `${last._id}\u0000`
  }
}
