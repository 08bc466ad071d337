import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { proposeMessage } from './messages/proposals/proposal.ts'
import { describeCouches } from './storage/couch/couches.contract.ts'
import { startLosingProxy } from './testing/couch/start-losing-proxy.ts'
import { startTestApp, type TestApp, type TestPerson } from './testing/start-test-app.ts'

const requestsMax = 6
const messages = 5
/** Noted or asked for every few seconds, for all: a slow machine has one beside each message. */
const isByTheClock = (request: string) => /^\w+ \/(tallies|epochs)\//.test(request)

describeCouches('requests to CouchDB', (couch) => {
  const opened = {} as {
    app: TestApp
    proxy: Awaited<ReturnType<typeof startLosingProxy>>
    ann: TestPerson
    ben: TestPerson
  }
  beforeEach(async () => {
    const proxy = await startLosingProxy(couch.url)
    onTestFinished(proxy.close)
    const JWT_SECRET = 'a secret of the test, long enough'
    const app = await startTestApp({ COUCHDB_URL: proxy.url, JWT_SECRET })
    onTestFinished(app.close)
    onTestFinished(() => void vi.useRealTimers())
    const suffix = crypto.randomUUID().slice(0, 8)
    const [ann, ben] = [await app.register(`Ann-${suffix}`), await app.register(`Ben-${suffix}`)]
    Object.assign(opened, { app, proxy, ann, ben })
  })

  /** Nothing cached about people expires any more, however long a message takes. */
  const stopClock = () => void vi.useFakeTimers({ toFake: ['Date', 'performance'] })
  const takeRequests = () => opened.proxy.takeRequests().filter((one) => !isByTheClock(one))

  const sendByRest = () =>
    opened.app.call('POST', '/api/messages', {
      token: opened.ann.token,
      body: { recipientId: opened.ben.userId, content: 'by REST' },
    })

  function push() {
    const [senderId, recipientId] = [opened.ann.userId, opened.ben.userId]
    const { raw } = proposeMessage({ senderId, recipientId, message: { content: 'pushed' } })
    const [token, body] = [opened.ann.token, { docs: [raw] }]
    return opened.app.call('POST', '/sync/messages/_bulk_docs', { token, body })
  }

  /** Waits for the next page of a person's changes. */
  async function poll({ token }: TestPerson, since: string | number) {
    const query = new URLSearchParams({ feed: 'longpoll', include_docs: 'true', since: `${since}` })
    const { body } = await opened.app.call('GET', `/sync/messages/_changes?${query}`, { token })
    return body as { last_seq: string | number; results: unknown[] }
  }

  describe('for each message', () => {
    it.each([
      ['pushed', push],
      ['sent by REST', sendByRest],
    ])(`are at most ${requestsMax} (%s), its three writes among them`, async (_how, send) => {
      stopClock()
      await send()
      takeRequests()
      const counts: number[] = []
      for (let i = 0; i < messages; i += 1) {
        expect((await send()).status).toBe(201)
        const requests = takeRequests()
        counts.push(requests.length)
        expect(requests.filter((one) => one.includes('_bulk_docs'))).toHaveLength(3)
      }
      expect(takeMiddle(counts)).toBeLessThanOrEqual(requestsMax)
    })

    it(`are at most ${requestsMax} with both people's devices waiting for it, and none asks where a database stands`, async () => {
      const { ann, ben, app } = opened
      stopClock()
      await push()
      const places = await Promise.all([poll(ann, 0), poll(ben, 0)])
      let since = places.map(({ last_seq }) => last_seq)
      const counts: number[] = []
      for (let i = 0; i < messages; i += 1) {
        const waiting = [ann, ben].map((person, index) => poll(person, since[index] ?? 0))
        const readMetrics = async () => (await app.call('GET', '/metrics')).text
        await expect.poll(readMetrics).toMatch(/^petrel_waiting_feeds 2$/m)
        takeRequests()
        await push()
        const woken = await Promise.all(waiting)
        expect(woken.map(({ results }) => results.length)).toEqual([1, 1])
        since = woken.map(({ last_seq }) => last_seq)
        const requests = takeRequests()
        counts.push(requests.length)
        expect(requests.filter((one) => /^GET \/[^/]*\/?$/.test(one))).toEqual([])
      }
      expect(takeMiddle(counts)).toBeLessThanOrEqual(requestsMax)
    })
  })

  it('fifty messages in one push are three writes', async () => {
    const { app, ann, ben } = opened
    await push()
    takeRequests()
    const docs = Array.from({ length: 50 }, (_, i) => {
      const message = { content: `${i}` }
      return proposeMessage({ senderId: ann.userId, recipientId: ben.userId, message }).raw
    })
    await app.call('POST', '/sync/messages/_bulk_docs', { token: ann.token, body: { docs } })
    expect(takeRequests().filter((one) => one.includes('_bulk_docs'))).toHaveLength(3)
  })
})

function takeMiddle(counts: readonly number[]) {
  return counts.toSorted((a, b) => a - b)[Math.floor(counts.length / 2)]
}
