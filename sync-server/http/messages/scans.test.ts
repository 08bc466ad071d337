import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createDeferred } from '../../../schema/helpers/deferred.ts'
import { nameMessagesDatabase } from '../../storage/documents/database-names.ts'
import type { Level } from '../../storage/level/level-store.ts'
import { openTestChat, type TestChat } from '../../testing/open-test-chat.ts'
import { openTestRequest, readTestLevel } from '../../testing/open-test-request.ts'
import type { TestPerson } from '../../testing/start-test-app.ts'

const gate = createGate()
const opened = {} as { chat: TestChat; ann: TestPerson; ben: TestPerson; cyd: TestPerson }
beforeAll(async () => {
  const budget = { scansAtOnce: 1, scansPerPerson: 20 }
  opened.chat = await openTestChat({ budget, wrapLevel: gate.wrap })
  opened.ann = await opened.chat.register('Ann')
  opened.ben = await opened.chat.register('Ben')
  opened.cyd = await opened.chat.register('Cyd')
  await pushMany(opened.ann, opened.cyd, 3_000)
  await pushMany(opened.ben, opened.cyd, 50)
})
afterAll(() => opened.chat.close())

const level = (name: string) => readTestLevel(opened.chat.app, name)
const get = (who: TestPerson, path: string) =>
  opened.chat.app.call('GET', path, { token: who.token })
const search = '/api/messages/search?query=message'

async function pushMany(from: TestPerson, to: TestPerson, count: number) {
  for (let begun = 0; begun < count; begun += 500) {
    const docs = Array.from({ length: Math.min(500, count - begun) }, (_, index) => ({
      ...makePushed(from, to, begun + index),
    }))
    const body = { docs }
    const { token } = from
    const answer = await opened.chat.app.call('POST', '/sync/messages/_bulk_docs', { token, body })
    expect(answer.status).toBe(201)
  }
}

function makePushed(from: TestPerson, to: TestPerson, index: number) {
  const createdAt = 1_700_000_000_000 + index
  return {
    _id: `01890000-0000-7000-8${from.userId.slice(-3)}-${index.toString(16).padStart(12, '0')}`,
    peerId: to.userId,
    senderId: from.userId,
    recipientId: to.userId,
    content: `message ${index}`,
    createdAt,
    orderedAt: createdAt,
  }
}

/** Everything that scans all of a person's data. */
const scans = [search, '/api/users/me/export']
const lists = ['/api/messages/starred', '/api/messages/conversations']

describe('P12: who asks for much', () => {
  it('waits for themselves: others are in between, however many there are', async () => {
    const order: string[] = []
    gate.shutFor(opened.ann)
    onTestFinished(gate.open)
    const asked = Array.from({ length: 15 }, async () => {
      const { status } = await get(opened.ann, search)
      order.push('ann')
      return status
    })
    await expect.poll(() => level('petrel_heavy_waiting')).toBe(14)
    const asking = Promise.all([...scans, ...lists].map((path) => get(opened.ben, path)))
    await expect.poll(() => level('petrel_heavy_waiting')).toBe(14 + 4)
    gate.open()
    const bens = await asking
    order.push('ben')
    expect(bens.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    const statuses = await Promise.all(asked)
    expect(new Set(statuses)).toEqual(new Set([200]))
    expect(order.indexOf('ben')).toBeLessThan(14)
  })

  it.each(scans)('is refused what is too much, with words, at once: %s', async (path) => {
    const asked = Array.from({ length: 60 }, () => get(opened.ann, path))
    const answers = await Promise.all(asked)
    const refused = answers.filter(({ status }) => status === 429)
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(20)
    expect(refused.length).toBeGreaterThan(0)
    expect(refused[0]?.body).toEqual({
      error: 'Too much at once. Please wait a moment and try again.',
      code: 'too_many_at_once',
    })
    expect(refused[0]?.headers.get('retry-after')).toBe('2')
  })

  it.each(scans)('and hangs up leaves nothing that goes on: %s', async (path) => {
    const { port } = opened.chat.app
    const { token } = opened.ann
    const asked = await Promise.all(
      Array.from({ length: 20 }, () => openTestRequest({ port, path, token, isUnread: true })),
    )
    await expect.poll(() => level('petrel_open_requests')).toBeGreaterThan(1)
    for (const one of asked) one.hangUp()
    await expect.poll(() => level('petrel_open_requests')).toBe(1)
    await expect.poll(() => level('petrel_heavy_waiting')).toBe(0)
    expect((await get(opened.ben, search)).body).toHaveLength(50)
  })

  it('is answered nothing more once they have signed out', async () => {
    const body = { username: 'Ann', password: opened.ann.password }
    const { token } = (await opened.chat.app.call('POST', '/api/auth/login', { body })).body
    gate.shutFor(opened.ann)
    onTestFinished(gate.open)
    const asked = Array.from({ length: 15 }, () => get({ ...opened.ann, token }, search))
    await expect.poll(() => level('petrel_heavy_waiting')).toBe(14)
    await opened.chat.app.call('POST', '/api/auth/logout', { token })
    gate.open()
    const statuses = (await Promise.all(asked)).map(({ status }) => status)
    expect(statuses).toContain(401)
    await expect.poll(() => level('petrel_heavy_waiting')).toBe(0)
  })
})

/** Holds up whoever reads a person's messages while it is shut for them. */
function createGate() {
  const state = { name: '', opening: createDeferred() }
  function wrap(level: Level): Level {
    return new Proxy(level, {
      get(target, name) {
        const member = Reflect.get(target, name, target)
        if (typeof member !== 'function') return member
        return (...given: unknown[]) => {
          const answer = Reflect.apply(member, target, given)
          const isHeld =
            name === 'iterator' && state.name && JSON.stringify(given).includes(state.name)
          return isHeld ? hold(answer as object) : answer
        }
      },
    })
  }
  function hold<Held extends object>(held: Held): Held {
    const { promise } = state.opening
    return new Proxy(held, {
      get(target, name) {
        const member = Reflect.get(target, name, target)
        if (typeof member !== 'function') return member
        const isRead = ['next', 'nextv', 'all'].includes(String(name))
        return (...given: unknown[]) =>
          isRead
            ? promise.then(() => Reflect.apply(member, target, given))
            : Reflect.apply(member, target, given)
      },
    })
  }
  return {
    wrap,
    shutFor({ userId }: TestPerson) {
      Object.assign(state, { name: nameMessagesDatabase(userId), opening: createDeferred() })
    },
    open() {
      state.name = ''
      state.opening.resolve()
    },
  }
}
