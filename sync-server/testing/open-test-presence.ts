import { expect, onTestFinished } from 'vitest'
import type { AppOverrides } from '../app-overrides.ts'
import { readTestLevel } from './open-test-request.ts'
import { openTestSocket, type TestSocket } from './open-test-socket.ts'
import { startTestApp, type TestApp, type TestPerson } from './start-test-app.ts'
import type { TestServers } from './start-test-servers.ts'

type Settings = Record<string, string>

/** For tests: a server for the duration of the test, and people who see each other's presence. */
export async function openTestPresence(settings: Settings = {}, overrides: AppOverrides = {}) {
  const app = await startTestApp(settings, { presenceGraceMs: 50, ...overrides })
  const opened: TestSocket[] = []
  onTestFinished(async () => {
    for (const { socket } of opened) socket.terminate()
    await app.close()
  })

  return {
    app,

    /** A current device, or one that understands less, once greeted. */
    async connect({ token }: TestPerson, understands = ['presence-changes']) {
      const socket = await openTestSocket({ url: app.url, token, understands })
      opened.push(socket)
      await expect.poll(() => socket.count('users-online')).toBeGreaterThan(0)
      return socket
    },

    /** The presence that the server has sent since its start. */
    async count() {
      const { text } = await app.call('GET', '/metrics')
      const read = (name: string) =>
        Number(new RegExp(`^petrel_presence_${name}_total (\\d+)`, 'm').exec(text)?.[1])
      return { lists: read('lists'), frames: read('frames'), bytes: read('bytes') }
    },

    async setBlocked(who: TestPerson, other: TestPerson, blocked: boolean) {
      const path = `/api/users/${other.userId}/block`
      const { status } = await app.call('PUT', path, { token: who.token, body: { blocked } })
      expect(status).toBe(200)
    },

    /** Begins a chat. */
    async write(from: TestPerson, to: TestPerson) {
      const body = { recipientId: to.userId, content: 'hello' }
      const { status } = await app.call('POST', '/api/messages', { token: from.token, body })
      expect(status).toBe(201)
    },
  }
}

/** The people a device takes for online, by everything it heard. */
export function whoIsOnline({ heard }: TestSocket): Set<string> {
  const online = new Set<string>()
  for (const { event, data } of heard) {
    if (event === 'users-online') {
      online.clear()
      for (const userId of data) online.add(userId)
    }
    if (event !== 'presence-changed') continue
    for (const userId of data.online) online.add(userId)
    for (const userId of data.offline) online.delete(userId)
  }
  return online
}

export const isShownAsOnline = (socket: TestSocket, { userId }: TestPerson) =>
  whoIsOnline(socket).has(userId)

/** Did this person appear in any presence that a device heard? */
export const isNamed = ({ heard }: TestSocket, { userId }: TestPerson) =>
  heard.some(({ event, data }) => {
    return /^(users-online|presence-)/.test(event) && JSON.stringify(data).includes(userId)
  })

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
