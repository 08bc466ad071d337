import { describe, expect, it, onTestFinished } from 'vitest'
import type { Stage } from '../../messages/acceptance/delivery-types.ts'
import { describeCouches } from '../../storage/couch/couches.contract.ts'
import { startTestApp, type TestApp, type TestPerson } from '../../testing/start-test-app.ts'

const crash: { reached?: (() => void) | undefined } = {}

/** Hangs forever between the copies of a message, once a test waits for it. */
async function hangBetweenCopies(stage: Stage) {
  if (stage !== 'peer' || !crash.reached) return
  crash.reached()
  await new Promise(() => undefined)
}

async function openChat(readEnv: () => Record<string, string>) {
  const app = await startTestApp(readEnv(), { isAtomic: false, onStage: hangBetweenCopies })
  onTestFinished(app.close)
  const suffix = crypto.randomUUID().slice(0, 8)
  const [ann, ben] = [await app.register(`Ann-${suffix}`), await app.register(`Ben-${suffix}`)]
  const body = { recipientId: ben.userId, content: 'as it was sent' }
  const sent = await app.call('POST', '/api/messages', { token: ann.token, body })
  return { app, ann, ben, id: sent.body._id as string }
}

const read = async (app: TestApp, { token }: TestPerson, id: string) =>
  (await app.call('GET', `/sync/messages/${id}`, { token })).body

function describeKilledChanges(readEnv: () => Record<string, string>) {
  it.each([
    { method: 'PUT', body: { content: 'as it was edited' }, now: 'as it was edited' },
    { method: 'DELETE', body: undefined, now: '' },
  ])(
    'P3: a $method that is killed between its two copies is finished by the next start',
    async (change) => {
      const { method, body, now } = change
      const { app, ann, ben, id } = await openChat(readEnv)
      const reached = new Promise<void>((resolve) => Object.assign(crash, { reached: resolve }))
      const asked = app.call(method, `/api/messages/${id}`, { token: ann.token, body })
      const answer = asked.then(
        ({ status }) => status,
        () => 'cut off',
      )
      await reached
      Object.assign(crash, { reached: undefined })
      expect(await read(app, ben, id)).toMatchObject({ content: now })
      expect(await read(app, ann, id)).toMatchObject({ content: 'as it was sent' })

      await app.killAndStart()
      expect(await answer).toBe('cut off')
      await expect.poll(() => read(app, ann, id)).toMatchObject({ content: now })
      const [own, theirs] = [await read(app, ann, id), await read(app, ben, id)]
      const { editedAt, deletedAt, orderedAt } = theirs
      expect(own).toMatchObject({
        content: now,
        orderedAt,
        ...(deletedAt ? { deletedAt } : { editedAt }),
      })
    },
  )
}

describe('on LevelDB that writes one database after the other', () => {
  describeKilledChanges(() => ({}))
})

describeCouches('changes', (couch) => {
  const JWT_SECRET = 'a secret of the test, long enough'
  describeKilledChanges(() => ({ COUCHDB_URL: couch.url, JWT_SECRET }))
})
