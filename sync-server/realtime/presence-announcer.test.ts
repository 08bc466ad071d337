import { expect, it, onTestFinished } from 'vitest'
import { createConnections } from './connections.ts'
import { createPresence } from './presence.ts'
import { createPresenceAnnouncer } from './presence-announcer.ts'

/** Presence over accounts that can be made to fail, and devices that record what they receive. */
function start() {
  const storage = { isBroken: false, reading: Promise.resolve() }
  const errors: unknown[] = []
  const onError = (error: unknown) => void errors.push(error)
  const presence = createPresence({ writeLastSeen: async () => {}, onError })
  const connections = createConnections()
  const announcer = createPresenceAnnouncer({
    presence,
    connections,
    onError,
    everyMs: 10,
    privacy: {
      async readSight() {
        await storage.reading
        if (storage.isBroken) throw new Error('a broken disk')
        return {
          seesAll: () => true,
          knows: () => true,
          sees: () => true,
          hasMissed: () => false,
        }
      },
    },
    directory: {
      isForContacts: false,
      listContacts: async () => new Set(),
      onConversationsWritten: () => () => {},
    },
  })
  presence.onChanged(announcer.handleChanged)
  onTestFinished(() => {
    announcer.close()
    presence.drop()
  })

  function connect(userId: string) {
    const told: string[] = []
    const closed: number[] = []
    const state = { isGone: false, triedInVain: 0 }
    const connection = {
      caller: { userId, sessionId: `${userId}'s` },
      understands: ['presence-changes'] as const,
      hasLine: false,
      send(text: string) {
        if (!state.isGone) return told.push(text) > 0
        state.triedInVain += 1
        return false
      },
      close: (code: number) => void closed.push(code),
    }
    connections.add(connection)
    presence.arrive(userId)
    announcer.welcome(connection)
    function leave() {
      state.isGone = true
      connections.remove(connection)
      announcer.forget(connection)
    }
    return { told, closed, state, leave }
  }
  return { storage, errors, connect }
}

it('a device that cannot be told who is online is closed, and comes again', async () => {
  const { storage, errors, connect } = start()
  storage.isBroken = true
  const ann = connect('ann')
  await expect.poll(() => ann.closed).toEqual([1011])
  expect(ann.told).toEqual([])
  expect(errors).not.toEqual([])
})

it('who came while the storage failed is made good by a list when it works again', async () => {
  const { storage, errors, connect } = start()
  const ann = connect('ann')
  await expect.poll(() => ann.told).toHaveLength(1)
  storage.isBroken = true
  connect('ben')
  await expect.poll(() => errors.length).toBeGreaterThan(1)
  storage.isBroken = false
  await expect
    .poll(() => ann.told.at(-1))
    .toBe(JSON.stringify({ event: 'users-online', data: ['ann', 'ben'] }))
})

it('P9: a device that goes while it is greeted is not told anything again and again', async () => {
  const { storage, connect } = start()
  const deferred = { resolve: () => {} }
  storage.reading = new Promise((resolve) => {
    deferred.resolve = resolve
  })
  const ann = connect('ann')
  ann.leave()
  deferred.resolve()
  const ben = connect('ben')
  await expect.poll(() => ben.told).toHaveLength(1)
  connect('cyd')
  await expect.poll(() => ben.told).toHaveLength(2)
  expect(ann.state.triedInVain).toBe(0)
})

it('P12: many people are told over several turns of the event loop', async () => {
  const { connect } = start()
  const many = Array.from({ length: 100 }, (_, index) => connect(`person ${index}`))
  await expect.poll(() => many.every(({ told }) => told.length > 0)).toBe(true)
  const before = many.map(({ told }) => told.length)
  const countTold = () =>
    many.filter(({ told }, index) => told.length > (before[index] ?? 0)).length
  connect('zoe')
  const steps: number[] = []
  for (let last = 0; last < many.length; ) {
    await new Promise((resolve) => setImmediate(resolve))
    steps.push(countTold() - last)
    last = countTold()
  }
  expect(Math.max(...steps)).toBeLessThanOrEqual(2 * 20)
})
