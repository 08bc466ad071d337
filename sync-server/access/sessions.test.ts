import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { must } from '../../schema/helpers/assertions.ts'
import { limits } from '../../schema/limits.ts'
import { openTestAccounts } from '../testing/open-test-accounts.ts'
import { accountKey } from './account-documents.ts'
import { createAccounts } from './accounts.ts'
import { decidePasswordChange } from './password-change.ts'
import { createSessions, PasswordOutdated } from './sessions.ts'

const opened = { now: 1_000_000, errors: [] as unknown[] } as Awaited<
  ReturnType<typeof openTestAccounts>
> & { now: number; errors: unknown[] }
const open = (database = opened.database) =>
  createSessions({
    database,
    isShared: false,
    now: () => opened.now,
    onError: (error) => opened.errors.push(error),
  })
const people: Record<string, string> = {}
const idOf = (name: string) => must(people[name], name)
const begin = (name: string, keptMs = 60_000) => ({
  userId: idOf(name),
  device: 'Firefox',
  keptMs,
})

beforeAll(async () => {
  Object.assign(opened, await openTestAccounts())
  const accounts = createAccounts({ database: opened.database })
  for (const name of ['ann', 'cy', 'di', 'ed', 'flo', 'gus']) {
    const details = { username: name, email: `${name}@example.org`, passwordHash: 'old' }
    const outcome = await accounts.register(details)
    if (outcome.kind === 'done') people[name] = outcome.account.userId
  }
})
afterAll(async () => {
  await opened.close()
  expect(opened.errors).toEqual([])
})

describe('sessions', () => {
  it('are good until they are ended, and tell who listens', async () => {
    const sessions = open()
    const ended: string[] = []
    sessions.onEnded(({ sessionId }) => ended.push(sessionId))
    const session = await sessions.start(begin('ann'))
    expect(await sessions.isOpen(session)).toBe(true)
    expect(await sessions.end(session)).toBe(true)
    expect(await sessions.isOpen(session)).toBe(false)
    expect(await sessions.end(session)).toBe(false)
    expect(ended).toEqual([session.sessionId])
  })

  it('are not remembered as good when they end while they are read', async () => {
    const sessions = open()
    const session = await sessions.start(begin('ann'))
    await Promise.all([sessions.isOpen(session), sessions.end(session)])
    expect(await sessions.isOpen(session)).toBe(false)
  })

  it('last across a restart', async () => {
    const session = await open().start(begin('ann'))
    expect(await open().isOpen(session)).toBe(true)
    expect(await open().isOpen({ ...session, userId: idOf('ed') })).toBe(false)
  })

  it('end by themselves, and are cleared away at the next sign-in', async () => {
    const sessions = open()
    const short = await sessions.start(begin('cy', 1_000))
    expect(await sessions.isOpen(short)).toBe(true)
    opened.now += 1_001
    expect(await sessions.isOpen(short)).toBe(false)
    const next = await sessions.start(begin('cy'))
    expect(await opened.database.read([short._id])).toEqual(new Map())
    expect((await sessions.list(idOf('cy'))).map(({ sessionId }) => sessionId)).toEqual([
      next.sessionId,
    ])
  })

  it('end all but one, of one person only', async () => {
    const sessions = open()
    const [kept, other] = [await sessions.start(begin('di')), await sessions.start(begin('di'))]
    const foreign = await sessions.start(begin('ed'))
    await sessions.endOthers(idOf('di'), kept.sessionId)
    expect(await sessions.isOpen(kept)).toBe(true)
    expect(await sessions.isOpen(other)).toBe(false)
    expect(await sessions.isOpen(foreign)).toBe(true)
  })

  it('note once an hour that they are used', async () => {
    const sessions = open()
    const session = await sessions.start(begin('flo', 10 * 3_600_000))
    await sessions.isOpen(session)
    expect((await sessions.list(idOf('flo')))[0]?.lastUsedAt).toBe(session.createdAt)
    opened.now += 3_600_001
    await sessions.isOpen(session)
    expect((await sessions.list(idOf('flo')))[0]?.lastUsedAt).toBe(opened.now)
  })

  it('are good while nothing can be stored, and ended ones are not', async () => {
    const full = await openTestAccounts()
    onTestFinished(full.close)
    const details = { username: 'ann', email: 'ann@example.org', passwordHash: 'old' }
    const outcome = await createAccounts({ database: full.database }).register(details)
    if (outcome.kind !== 'done') throw new Error('Ann was not registered')
    const { userId } = outcome.account
    const session = await open(full.database).start({ ...begin('ann', 10 * 3_600_000), userId })
    opened.now += 2 * 3_600_000
    const sessions = open(full.database)
    full.disk.fillUp({ after: 0, count: Number.POSITIVE_INFINITY, leaves: 'nothing' })
    expect(await sessions.isOpen(session)).toBe(true)
    expect(await sessions.isOpen(session)).toBe(true)
    // Noting the use is tried again an hour later.
    expect(opened.errors.splice(0)).toHaveLength(1)
    sessions.handleEnded(session)
    expect(await sessions.isOpen(session)).toBe(false)
  })

  it('P12: end where a person has a hundred, the longest unused first', async () => {
    const sessions = open()
    const begun = []
    for (let index = 0; index < limits.signInsMax + 3; index += 1) {
      opened.now += 1
      begun.push(await sessions.start(begin('gus', 10 * 3_600_000)))
      // The very first is used again.
      if (index === 10) {
        opened.now += 3_600_001
        await sessions.isOpen(must(begun[0], 'the first'))
      }
    }
    const list = (await sessions.list(idOf('gus'))).map(({ sessionId }) => sessionId)
    expect(list).toHaveLength(limits.signInsMax)
    const gone = begun.flatMap(({ sessionId }, index) => (list.includes(sessionId) ? [] : [index]))
    expect(gone).toEqual([1, 2, 3])
  })

  it('are not begun for somebody who is not here', async () => {
    const nobody = { userId: 'nobody', device: 'Firefox', keptMs: 60_000 }
    await expect(open().start(nobody)).rejects.toBeInstanceOf(PasswordOutdated)
  })
})

describe('a new password', () => {
  it('ends every sign-in but the one that sets it, and none begins with the old one', async () => {
    const sessions = open()
    const [kept, other] = [await sessions.start(begin('ann')), await sessions.start(begin('ann'))]
    for (const session of [kept, other]) expect(await sessions.isOpen(session)).toBe(true)
    const change = { caller: kept, verified: undefined, passwordHash: 'new' }
    expect(await sessions.changePassword(change)).toBe('done')
    expect([await sessions.isOpen(kept), await sessions.isOpen(other)]).toEqual([true, false])
    // The server checked their password before the change; it is wrong now.
    await expect(sessions.start(begin('ann'))).rejects.toBeInstanceOf(PasswordOutdated)
    expect(await sessions.changePassword({ ...change, passwordHash: 'newer' })).toBe('stale')
    const next = await sessions.start({ ...begin('ann'), passwordChanges: 1 })
    expect(await sessions.isOpen(next)).toBe(true)
    const list = (await sessions.list(idOf('ann'))).map(({ sessionId }) => sessionId)
    expect(list.sort()).toEqual([kept.sessionId, next.sessionId].sort())
  })

  it('is the password of exactly one of those who change it at once', async () => {
    const sessions = open()
    const callers = await Promise.all(Array.from({ length: 5 }, () => sessions.start(begin('ed'))))
    const outcomes = await Promise.all(
      callers.map((caller, index) =>
        sessions.changePassword({ caller, verified: undefined, passwordHash: `new ${index}` }),
      ),
    )
    expect(outcomes.filter((outcome) => outcome === 'done')).toHaveLength(1)
    const areOpen = await Promise.all(callers.map((caller) => sessions.isOpen(caller)))
    expect(areOpen).toEqual(outcomes.map((outcome) => outcome === 'done'))
  })

  it('is not set by a sign-in that has ended', async () => {
    const sessions = open()
    const caller = await sessions.start(begin('cy'))
    await sessions.end(caller)
    const change = { caller, verified: undefined, passwordHash: 'new' }
    expect(await sessions.changePassword(change)).toBe('signed_out')
  })

  it('ends the others also where a crash comes before they are ended', async () => {
    const sessions = open()
    const [kept, other] = [await sessions.start(begin('di')), await sessions.start(begin('di'))]
    const accountId = accountKey(idOf('di'))
    const ids = [accountId, kept._id]
    await opened.database.update(ids, (stored) =>
      decidePasswordChange(stored, { caller: kept, verified: undefined, passwordHash: 'new' }),
    )
    const restarted = open()
    expect([await restarted.isOpen(kept), await restarted.isOpen(other)]).toEqual([true, false])
    expect((await restarted.list(idOf('di'))).map(({ _id }) => _id)).toEqual([kept._id])
    await restarted.start({ ...begin('di'), passwordChanges: 1 })
    expect(await opened.database.read([other._id])).toEqual(new Map())
  })

  it('is gone on with where only the account could be written at first', async () => {
    const sessions = open()
    const caller = await sessions.start(begin('flo'))
    const asked = { caller, verified: undefined, passwordHash: 'new' }
    const accountId = accountKey(idOf('flo'))
    await opened.database.update([accountId, caller._id], (stored) => {
      const { put, result } = decidePasswordChange(stored, asked)
      return { put: put.filter(({ _id }) => _id === accountId), result }
    })
    expect(await sessions.changePassword(asked)).toBe('done')
    expect(await sessions.isOpen(caller)).toBe(true)
  })
})
