import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openTestAccounts } from '../testing/open-test-accounts.ts'
import type { AccountsDocument, ClaimDocument } from './account-documents.ts'
import { createAccounts } from './accounts.ts'

const opened = {} as Awaited<ReturnType<typeof openTestAccounts>>
beforeEach(async () => void Object.assign(opened, await openTestAccounts()))
afterEach(() => opened.close())

const start = () => createAccounts({ database: opened.database })
const ask = (username: string, email = `${encodeURIComponent(username)}@example.org`) =>
  start().register({ username, email, passwordHash: 'x' })

async function register(username: string): Promise<string> {
  const outcome = await ask(username)
  if (outcome.kind !== 'done') throw new Error(`${username} was not registered`)
  return outcome.account.userId
}

const readLooks = async () =>
  (await opened.database.range({
    startkey: 'claim:lookalike:',
    endkey: 'claim:lookalike:~',
  })) as (AccountsDocument & ClaimDocument)[]

/** Leaves the accounts as a build without look-alike claims wrote them. */
async function forgetLooks() {
  const gone = [...(await readLooks()).map(({ _id }) => _id), 'looks'] as ClaimDocument['_id'][]
  await opened.database.update(gone, (stored) => ({
    put: [...stored.values()].map((document) => ({ ...document, _deleted: true }) as ClaimDocument),
    result: undefined,
  }))
  expect(await readLooks()).toEqual([])
}

/** Two people who registered look-alike names under an earlier build. */
async function registerTwins() {
  const ann = await register('alice')
  const late = (await ask('\u0430lice')).kind
  expect(late).toBe('taken')
  const twin = await register('somebody')
  await forgetLooks()
  // What that build wrote when a name changed.
  const [userId, claimId] = [`user:${twin}`, `claim:username:${encodeURIComponent('\u0430lice')}`]
  await opened.database.update([userId, claimId, 'claim:username:somebody'], (stored) => ({
    put: [
      { ...stored.get(userId), username: '\u0430lice' } as AccountsDocument,
      { _id: claimId as ClaimDocument['_id'], userId: twin, claimedAt: 1 },
      { _id: 'claim:username:somebody', userId: twin, claimedAt: 0, _deleted: true },
    ],
    result: undefined,
  }))
  return { ann, twin }
}

describe('a name that looks taken', () => {
  it.each([
    ['alice', '\u0430lice'],
    ['Alice', 'AIice'],
    ['bob', 'B0b'],
    ['mary', 'rnary'],
    ['\u0410\u043D\u043D\u0430', '\u0430\u043D\u043D\u0430'],
  ])('is taken: after %s nobody is %s', async (taken, wanted) => {
    await register(taken)
    const person = { username: wanted, email: 'other@example.org' }
    expect(await start().findTaken(person)).toBe('username')
    expect(await ask(wanted)).toMatchObject({ kind: 'taken' })
    const ben = await register('somebody')
    expect(await start().changeProfile(ben, { username: wanted })).toMatchObject({ kind: 'taken' })
    expect((await start().find(ben))?.username).toBe('somebody')
  })

  it('goes to exactly one of those who ask for it at once', async () => {
    const outcomes = await Promise.all(
      ['alice', '\u0430lice', 'al\u0456ce', 'AIice'].map((n) => ask(n)),
    )
    expect(outcomes.filter(({ kind }) => kind === 'done')).toHaveLength(1)
  })

  it('may be the owner’s own next name, and is free after another or when they leave', async () => {
    const ann = await register('Alice')
    expect(await start().changeProfile(ann, { username: 'AIice' })).toMatchObject({ kind: 'done' })
    await start().changeProfile(ann, { username: 'Eve' })
    const ben = await register('\u0410lice')
    await start().remove(ben)
    expect(await ask('Alice', 'cyd@example.org')).toMatchObject({ kind: 'taken' })
    await start().releaseName('\u0410lice')
    expect(await ask('Alice', 'cyd@example.org')).toMatchObject({ kind: 'done' })
  })

  it('is no way in: signing in takes the name itself', async () => {
    const ann = await register('Alice')
    expect((await start().findBySignInName('ALICE'))?.userId).toBe(ann)
    expect(await start().findBySignInName('\u0410lice')).toBeUndefined()
  })
})

describe('accounts from before', () => {
  it('are protected from the first registration on', async () => {
    await register('alice')
    await forgetLooks()
    expect(await ask('\u0430lice')).toMatchObject({ kind: 'taken' })
    expect(await ask('alicia')).toMatchObject({ kind: 'done' })
  })

  it('get their claims at the start, all of them, once', async () => {
    const names = Array.from(
      { length: 450 },
      (_, index) => `person ${'x'.repeat(index % 7)}${index}`,
    )
    await Promise.all(names.map((name) => register(name)))
    const before = (await readLooks()).length
    await forgetLooks()
    await start().completeClaims()
    expect(await readLooks()).toHaveLength(before)
    const seq = await opened.database.updateSeq()
    await start().completeClaims()
    expect(await opened.database.updateSeq()).toBe(seq)
  })

  it('get new ones when another version computes looks differently', async () => {
    const ann = await register('alice')
    await opened.database.update(['looks'], () => ({
      put: [{ _id: 'looks' as const, version: 0 }],
      result: undefined,
    }))
    const [look] = await readLooks()
    await opened.database.update([String(look?._id)], () => ({
      put: [{ ...look, userId: 'somebody else', claimedAt: 1 } as ClaimDocument],
      result: undefined,
    }))
    await start().completeClaims()
    expect(await readLooks()).toMatchObject([{ _id: look?._id, userId: ann }])
  })

  it('keep their names where two look alike, sign in by them, and can be changed', async () => {
    const { ann, twin } = await registerTwins()
    await start().completeClaims()
    expect((await start().findBySignInName('alice'))?.userId).toBe(ann)
    expect((await start().findBySignInName('\u0430lice'))?.userId).toBe(twin)
    for (const userId of [ann, twin]) {
      const change = { status: 'Busy', phone_number: `1555010020${userId === ann ? 1 : 2}` }
      expect(await start().changeProfile(userId, change)).toMatchObject({ kind: 'done' })
    }
    const same = await start().changeProfile(twin, { username: '\u0430lice' })
    expect(same).toMatchObject({ kind: 'done' })
    expect(await ask('al\u0456ce')).toMatchObject({ kind: 'taken' })
  })

  it('wait for nothing but their turn when the server ends in the middle', async () => {
    await register('alice')
    await forgetLooks()
    const accounts = start()
    const completing = accounts.completeClaims()
    await accounts.close()
    await completing
    await start().completeClaims()
    expect(await readLooks()).toHaveLength(1)
  })
})
