import { expect } from 'vitest'
import { whoIsOnline } from './open-test-presence.ts'
import { readTestLevel } from './open-test-request.ts'
import { openTestSocket, type TestSocket } from './open-test-socket.ts'
import type { TestApp, TestPerson } from './start-test-app.ts'
import type { TestServers } from './start-test-servers.ts'

const waiting = { timeout: 60_000 }

/**
 * For tests: what it returns resolves when the server `to` has heard all that `from` has said so far. Redis keeps the
 * order, and what somebody types at the one to their device at the other goes the same way.
 * @param name nobody else's in this test: who was there before may still be taken for online
 */
export async function openTestBarrier(between: { from: TestApp; to: TestApp; name: string }) {
  const { from, to, name } = between
  const sockets: TestSocket[] = []
  async function connect({ url }: TestApp, { token }: TestPerson) {
    const socket = await openTestSocket({ url, token, understands: ['presence-changes'] })
    sockets.push(socket)
    await socket.untilGreeted()
    return socket
  }
  const [person, later] = [await from.register(name), await to.register(`${name}-later`)]
  const [says, hears] = [await connect(from, person), await connect(to, person)]
  await connect(to, later)
  // Who knows of the later one knows that the person is there too.
  await expect.poll(() => whoIsOnline(says), waiting).toContain(later.userId)
  return {
    sockets,
    async pass() {
      const before = hears.count('user-typing')
      // To one's own devices it goes as often as it is said.
      says.say('typing', { recipientId: person.userId })
      await expect.poll(() => hears.count('user-typing'), waiting).toBeGreaterThan(before)
    },
  }
}

/** For tests: both have heard of every goodbye: whoever is shown as online from now on came after this. */
export async function untilNobodyIsOnline({ one, two }: Pick<TestServers, 'one' | 'two'>) {
  for (const server of [one, two]) {
    await expect.poll(() => readTestLevel(server, 'petrel_people_online'), waiting).toBe(0)
  }
}
