import { afterAll, expect, it } from 'vitest'
import { createDeferred } from '../../schema/helpers/deferred.ts'
import type { Level } from '../storage/level/level-store.ts'
import { openTestSocket } from '../testing/open-test-socket.ts'
import { startTestApp } from '../testing/start-test-app.ts'

const held = { key: '', reached: createDeferred(), free: createDeferred() }
const app = await startTestApp({}, { wrapLevel: holdRead, idleCloseMs: 50 })
afterAll(() => app.close())

it('P8: a socket that is let in while its sign-in ends is closed, and hears nothing', async () => {
  const { userId, token } = await app.register('Ann')
  await app.restart()
  // The server knows this sign-in from now on, and has yet to read its person's settings again.
  expect((await app.call('GET', '/api/users/me/sessions', { token })).status).toBe(200)
  await expect.poll(() => app.stats().openDatabases).toBe(0)
  held.key = `!d/user:${userId}`
  const socket = await openTestSocket({ url: app.url, token })
  await held.reached.promise
  expect((await app.call('POST', '/api/auth/logout', { token })).status).toBe(200)
  held.free.resolve()
  await expect.poll(socket.closedWith).toBe(4401)
  expect(socket.heard).toEqual([])
})

/** Holds up the next read of `held.key`, and no other. */
function holdRead(level: Level): Level {
  return new Proxy(level, {
    get(target, name) {
      // Nothing that is read on the main thread can be held up: it reads there only from an open store.
      if (name === 'status') return 'opening'
      const member = Reflect.get(target, name, target)
      if (typeof member !== 'function') return member
      return (...given: unknown[]) => {
        const keys = name === 'get' || name === 'getMany' ? [given[0]].flat() : []
        const isHeld = held.key !== '' && keys.some((key) => String(key).includes(held.key))
        if (!isHeld) return Reflect.apply(member, target, given)
        held.key = ''
        held.reached.resolve()
        return held.free.promise.then(() => Reflect.apply(member, target, given))
      }
    },
  })
}
