import { v7 as uuidv7 } from 'uuid'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { proposeMessage } from '../messages/proposals/proposal.ts'
import {
  nameConversationsDatabase,
  nameMessagesDatabase,
} from '../storage/documents/database-names.ts'
import { startTestApp, type TestApp, type TestPerson } from '../testing/start-test-app.ts'
import { testBytes, uploadFile, uploadPicture } from '../testing/test-files.ts'

const opened = {} as { app: TestApp; ben: TestPerson; cyd: TestPerson }
beforeAll(async () => {
  opened.app = await startTestApp()
  opened.ben = await opened.app.register('Ben')
  opened.cyd = await opened.app.register('Cyd')
})
afterAll(() => opened.app.close())

function write(from: TestPerson, to: TestPerson) {
  const message = { content: 'too late', _id: uuidv7() }
  return proposeMessage({ senderId: from.userId, recipientId: to.userId, message }).raw
}

/** Every kind of request that can be pending while somebody leaves: their own and others'. */
function beginAll(ann: TestPerson): Promise<unknown>[] {
  const { app, ben, cyd } = opened
  const as = (person: TestPerson) => (method: string, path: string, body?: unknown) =>
    app.call(method, path, { token: person.token, body })
  const [asAnn, asBen] = [as(ann), as(ben)]
  const pushes = (call: typeof asAnn, from: TestPerson, to: TestPerson) =>
    call('POST', '/sync/messages/_bulk_docs', { docs: [write(from, to), write(from, to)] })
  const pinned = { _id: ben.userId, isPinned: true, isPinnedAt: Date.now() }
  const { username, password } = ann
  const begun: Promise<unknown>[] = [
    pushes(asAnn, ann, ben),
    pushes(asAnn, ann, cyd),
    pushes(asBen, ben, ann),
    pushes(as(cyd), cyd, ann),
    asBen('PUT', `/api/messages/conversations/${ann.userId}/read`),
    asAnn('PUT', `/api/messages/conversations/${ben.userId}/read`),
    asAnn('POST', '/sync/conversations/_bulk_docs', { docs: [pinned] }),
    asAnn('PUT', '/sync/messages/_local/place', { at: 1 }),
    asAnn('PUT', '/sync/conversations/_local/place', { at: 1 }),
    asAnn('GET', '/sync/messages/_changes?include_docs=true'),
    asAnn('PUT', '/api/users/profile', { status: 'too late' }),
    asAnn('PUT', '/api/users/profile', { username: `${username}-${uuidv7().slice(-6)}` }),
    asAnn('PUT', `/api/users/${ben.userId}/block`, { blocked: true }),
    asBen('PUT', `/api/users/${ann.userId}/block`, { blocked: false }),
    app.call('POST', '/api/auth/login', { body: { username, password } }),
    uploadFile(app, ann, { bytes: testBytes.png(300_000) }),
    uploadPicture(app, ann, { bytes: testBytes.png(300_000) }),
  ]
  // The server may cut off a person who leaves.
  return begun.map((one) => one.catch(() => undefined))
}

/** A kept-alive connection may have closed meanwhile: repeat the call, which may find it done. */
async function leave(person: TestPerson): Promise<number> {
  const ask = async () => (await opened.app.leave(person)).status
  return await ask().catch(ask)
}

/** Everything stored about these people, except the leaving mark and what others received. */
async function listLeft(people: readonly TestPerson[]): Promise<string[]> {
  return await opened.app.whileStopped(async (storage) => {
    const left: string[] = []
    const shared = await Promise.all(
      ['accounts', 'media', 'debts'].map((name) => storage.database(name).range({})),
    )
    for (const { userId } of people) {
      for (const name of [nameMessagesDatabase(userId), nameConversationsDatabase(userId)]) {
        const { updateSeq } = await storage.database(name).info()
        if (updateSeq !== 0 || (await storage.database(name).readLocal('place'))) left.push(name)
      }
      const own = shared.flat().filter((doc) => JSON.stringify(doc).includes(userId))
      left.push(...own.filter((doc) => !isOfDeparture(doc)).map(({ _id }) => _id))
    }
    return left
  })
}

/** The departure record stays. */
function isOfDeparture(doc: object): boolean {
  const { _id, _rev, userId, departedAt, leavingSince, ...more } = doc as Record<string, unknown>
  return Object.keys(more).length === 0 && Number(departedAt ?? leavingSince) > 0
}

test('P12: nothing that is under way brings back anything of somebody who leaves', async () => {
  const people = await opened.app.registerAll(
    Array.from({ length: 6 }, (_, index) => `Anna-${index}`),
  )
  await Promise.all(
    people.map(async (ann, index) => {
      await Promise.all(beginAll(ann).slice(0, 5))
      const before = beginAll(ann)
      // Each person leaves at another moment of the pending requests.
      await Promise.race(before.slice(0, 1 + 3 * index))
      const leaving = leave(ann)
      const after = beginAll(ann)
      expect([200, 401]).toContain(await leaving)
      await Promise.all([...before, ...after])
    }),
  )
  expect(await listLeft(people)).toEqual([])
})
