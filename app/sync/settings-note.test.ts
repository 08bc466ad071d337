import { expect, onTestFinished, test } from 'vitest'
import type { TimedSettings } from '../../schema/settings.ts'
import type { OwnUser } from '../../schema/user.ts'
import {
  createKeyValueStorage,
  type KeyValueStorage,
} from '../database/storage/key-value-storage.ts'
import type { QueuedRequest } from '../database/storage/queued-request.ts'
import { ann, openTestDatabase } from '../database/testing/open-test-database.ts'
import { createLiveValue } from '../database/views/live-value.ts'
import { createOwnSettings } from './own-settings.ts'

const later = 2_000_000

/** Ann's settings on a device of its own, with the texts that an earlier page left there. */
async function open(texts: KeyValueStorage, known?: TimedSettings) {
  const { database, context } = await openTestDatabase()
  const queued: QueuedRequest[] = []
  const own = await createOwnSettings({
    userId: ann,
    table: database.device.settings,
    texts,
    findRequests: () => ({
      entries: createLiveValue([]),
      add: async (request) => String(queued.push(request)),
    }),
    readOwn: () => new Promise<OwnUser>(() => {}),
    known,
    now: context.now,
    onError: (cause) => expect.unreachable(String(cause)),
  })
  onTestFinished(own.close)
  return { own, queued, table: database.device.settings }
}

function copy(texts: KeyValueStorage): KeyValueStorage {
  const copied = createKeyValueStorage()
  for (let index = 0; index < texts.length; index += 1) {
    const key = texts.key(index) ?? ''
    copied.setItem(key, texts.getItem(key) ?? '')
  }
  return copied
}

test('P1: a setting that shows is on the device, also for a page that ends in the same moment', async () => {
  const texts = createKeyValueStorage()
  const { own } = await open(texts)
  const setting = own.settings.set({ theme: 'dark', readReceipts: false })
  expect(own.settings.values.getSnapshot()).toMatchObject({ theme: 'dark', readReceipts: false })
  const atTheEnd = copy(texts)
  expect(JSON.parse(atTheEnd.getItem('userSettings') ?? '')).toMatchObject({ theme: 'dark' })
  await setting

  // The database of this one has nothing of it.
  const next = await open(atTheEnd)
  expect(next.own.settings.values.getSnapshot()).toMatchObject({
    theme: 'dark',
    readReceipts: false,
  })
  await next.own.resume()
  expect(next.queued).toMatchObject([
    { kind: 'settings', settings: { theme: 'dark', readReceipts: false } },
  ])
  expect(atTheEnd.getItem(`petrel-settings-${ann}`)).toBeNull()
})

test('once the database has it, nothing of the note is left, and it undoes no later change', async () => {
  const texts = createKeyValueStorage()
  const { own, queued } = await open(texts)
  const dark = own.settings.set({ theme: 'dark' })
  const early = copy(texts)
  await Promise.all([dark, own.settings.set({ theme: 'light', textSize: 'large' })])
  expect(texts.getItem(`petrel-settings-${ann}`)).toBeNull()
  expect(own.settings.values.getSnapshot()).toMatchObject({ theme: 'light', textSize: 'large' })
  expect(queued).toHaveLength(2)

  const next = await open(early)
  await next.own.resume()
  await next.own.takeAnswer({}, { settings: { theme: 'light' }, settingsAt: { theme: later } })
  expect(next.own.settings.values.getSnapshot().theme).toBe('light')
})

test('what the sign-in knows shows before the first connection, is not sent back, and undoes no later change', async () => {
  const texts = createKeyValueStorage()
  const known = {
    settings: { theme: 'dark', textSize: 'large' },
    settingsAt: { theme: 1, textSize: 1 },
  }
  const { own, queued, table } = await open(texts, known)
  expect(own.settings.values.getSnapshot()).toMatchObject(known.settings)
  await own.resume()
  expect(queued).toEqual([])
  expect(await table.count()).toBe(2)

  await own.settings.set({ theme: 'light' })
  const left = copy(texts)
  left.setItem(
    `petrel-settings-${ann}`,
    JSON.stringify({ settings: { theme: 'light' }, settingsAt: { theme: later } }),
  )
  const next = await open(left, known)
  expect(next.own.settings.values.getSnapshot()).toMatchObject({
    theme: 'light',
    textSize: 'large',
  })
})

test('where no text can be stored, a setting shows once the database has it, and goes back when it fails', async () => {
  const full: KeyValueStorage = {
    ...createKeyValueStorage(),
    setItem(key) {
      if (key.startsWith('petrel-settings-')) throw new DOMException('', 'QuotaExceededError')
    },
  }
  const { own } = await open(full)
  const setting = own.settings.set({ theme: 'dark' })
  expect(own.settings.values.getSnapshot().theme).toBe('system')
  await setting
  expect(own.settings.values.getSnapshot().theme).toBe('dark')

  const texts = createKeyValueStorage()
  const broken = await open(texts)
  broken.table.db.close()
  await expect(broken.own.settings.set({ theme: 'dark' })).rejects.toThrow()
  expect(broken.own.settings.values.getSnapshot().theme).toBe('system')
  expect(texts.getItem(`petrel-settings-${ann}`)).toBeNull()
})
