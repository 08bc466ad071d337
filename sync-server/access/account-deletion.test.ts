import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { nameMessagesDatabase } from '../storage/documents/database-names.ts'
import { createStorage, type Storage } from '../storage/storage.ts'
import { createAccountDeletion } from './account-deletion.ts'
import type { AccountsDocument } from './account-documents.ts'
import { createAccounts } from './accounts.ts'
import { createRelations } from './relations.ts'
import { createSessions } from './sessions.ts'

const opened = {} as { dataDir: string; storage: Storage; now: number; errors: unknown[] }
beforeEach(async () => {
  opened.dataDir = await mkdtemp(join(tmpdir(), 'petrel-account-deletion-'))
  opened.storage = createStorage({ dataDir: opened.dataDir, durability: 'relaxed' })
  Object.assign(opened, { now: 1_000_000, errors: [] })
})
afterEach(async () => {
  await opened.storage.close()
  await rm(opened.dataDir, { recursive: true })
  expect(opened.errors).toEqual([])
})

/** Ann with a message, and the deletion. `onSettle` runs in the middle of it. */
async function openAnn(onSettle: (userId: string) => Promise<void> = async () => undefined) {
  const { storage } = opened
  const now = () => opened.now
  const database = storage.database<AccountsDocument>('accounts')
  const accounts = createAccounts({ database, now })
  const onError = (error: unknown) => opened.errors.push(error)
  const sessions = createSessions({ database, isShared: false, now, onError })
  const relations = createRelations({ database, isShared: false, now })
  const accountDeletion = createAccountDeletion({
    database,
    storage,
    accounts,
    sessions,
    relations,
    now,
    settle: onSettle,
    deleteMediaOf: async () => undefined,
    forgetDigestsOf: async () => undefined,
    forgetEpochOf: async () => undefined,
    onError,
  })
  const details = { username: 'Ann', email: 'ann@example.org', passwordHash: 'x' }
  const outcome = await accounts.register(details)
  if (outcome.kind !== 'done') throw new Error('Ann was not registered')
  const { userId } = outcome.account
  const session = await sessions.start({ userId, device: 'phone', keptMs: 600_000 })
  const messages = storage.database<{ _id: string }>(nameMessagesDatabase(userId))
  await messages.insert({ _id: 'a' })
  const listMarks = async () => await database.range({ startkey: 'leaving:', endkey: 'leaving:~' })
  return { userId, database, accounts, accountDeletion, sessions, session, messages, listMarks }
}

describe('somebody who leaves', () => {
  it('is gone at once and for good, and a late sign-in is taken away after a minute', async () => {
    const ann = await openAnn()
    await ann.accountDeletion.leave(ann.userId)
    expect(await ann.accounts.find(ann.userId)).toBeUndefined()
    await expect(ann.messages.range({})).rejects.toThrow('removed for good')
    await expect(ann.messages.insert({ _id: 'late' })).rejects.toThrow('removed for good')

    await ann.database.insert({ ...ann.session, _id: `session:${ann.userId}:late` })
    await ann.accountDeletion.finish()
    const range = { startkey: 'session:', endkey: 'session:~' }
    expect(await ann.database.range(range)).toEqual([])
    expect(await ann.listMarks()).toHaveLength(1)

    opened.now += 60_000
    await ann.accountDeletion.finish()
    expect(await ann.listMarks()).toEqual([])
    await ann.accountDeletion.close()
  })

  it('stays when the password has changed since it was checked', async () => {
    const ann = await openAnn()
    expect(await ann.accountDeletion.leave(ann.userId, { verified: 1 })).toBe(false)
    expect(await ann.accounts.find(ann.userId)).toBeDefined()
    expect(await ann.messages.range({})).toHaveLength(1)
    expect(await ann.listMarks()).toEqual([])
    expect(await ann.accountDeletion.leave(ann.userId, { verified: undefined })).toBe(true)
    expect(await ann.accounts.find(ann.userId)).toBeUndefined()
    await ann.accountDeletion.close()
  })

  it('is gone after the next start where a crash came in between', async () => {
    const crash = new Error('crash')
    const broken = { isCrashing: true }
    const ann = await openAnn(async () => {
      if (broken.isCrashing) throw crash
    })
    await expect(ann.accountDeletion.leave(ann.userId)).rejects.toBe(crash)
    expect(await ann.accounts.find(ann.userId)).toBeUndefined()
    expect(await ann.messages.range({})).toHaveLength(1)
    broken.isCrashing = false
    await ann.accountDeletion.finish()
    await expect(ann.messages.range({})).rejects.toThrow('removed for good')
    await ann.accountDeletion.close()
  })

  it('is taken away although somebody else’s things cannot be, which is tried again', async () => {
    const broken = new Set<string>()
    const error = new Error('a broken disk')
    const ann = await openAnn(async (userId) => {
      if (broken.has(userId)) throw error
    })
    const details = { username: 'Ben', email: 'ben@example.org', passwordHash: 'x' }
    const outcome = await ann.accounts.register(details)
    const benId = outcome.kind === 'done' ? outcome.account.userId : ''
    // Ann's mark comes first.
    expect(ann.userId < benId).toBe(true)
    for (const userId of [ann.userId, benId]) {
      broken.add(userId)
      await expect(ann.accountDeletion.leave(userId)).rejects.toBe(error)
    }
    broken.delete(benId)
    opened.now += 60_000
    await ann.accountDeletion.finish()
    expect(opened.errors.splice(0)).toEqual([error])
    expect(await ann.listMarks()).toMatchObject([{ userId: ann.userId }])

    broken.clear()
    await ann.accountDeletion.finish()
    expect(await ann.listMarks()).toEqual([])
    await ann.accountDeletion.close()
  })
})
