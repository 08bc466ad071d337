import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createSessions } from './create-sessions.ts'
import { openTestAccounts } from './open-test-accounts.ts'

const opened = { now: 1_000_000 } as Awaited<ReturnType<typeof openTestAccounts>> & { now: number }
const open = () =>
  createSessions({ database: opened.database, isShared: false, now: () => opened.now })
const begin = (userId: string, keptMs = 60_000) => ({ userId, device: 'Firefox', keptMs })

beforeAll(async () => void Object.assign(opened, await openTestAccounts()))
afterAll(() => opened.close())

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
    expect(await open().isOpen({ ...session, userId: 'ben' })).toBe(false)
  })

  it('end by themselves, and are cleared away at the next sign-in', async () => {
    const sessions = open()
    const short = await sessions.start(begin('cy', 1_000))
    expect(await sessions.isOpen(short)).toBe(true)
    opened.now += 1_001
    expect(await sessions.isOpen(short)).toBe(false)
    const next = await sessions.start(begin('cy'))
    expect(await opened.database.read([short._id])).toEqual(new Map())
    expect((await sessions.list('cy')).map(({ sessionId }) => sessionId)).toEqual([next.sessionId])
  })

  it('end all but one, of one person only', async () => {
    const sessions = open()
    const [kept, other] = [await sessions.start(begin('di')), await sessions.start(begin('di'))]
    const foreign = await sessions.start(begin('ed'))
    await sessions.endOthers('di', kept.sessionId)
    expect(await sessions.isOpen(kept)).toBe(true)
    expect(await sessions.isOpen(other)).toBe(false)
    expect(await sessions.isOpen(foreign)).toBe(true)
  })

  it('note once an hour that they are used', async () => {
    const sessions = open()
    const session = await sessions.start(begin('flo', 10 * 3_600_000))
    await sessions.isOpen(session)
    expect((await sessions.list('flo'))[0]?.lastUsedAt).toBe(session.createdAt)
    opened.now += 3_600_001
    await sessions.isOpen(session)
    expect((await sessions.list('flo'))[0]?.lastUsedAt).toBe(opened.now)
  })
})
