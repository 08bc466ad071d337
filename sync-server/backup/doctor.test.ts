import { v7 as uuidv7 } from 'uuid'
import { expect, onTestFinished, test } from 'vitest'
import { nameMessagesDatabase } from '../storage/documents/database-names.ts'
import { startTestApp } from '../testing/start-test-app.ts'
import { examineData } from './doctor.ts'

test('the doctor counts what is there, and names a copy and a piece that are not', async () => {
  const app = await startTestApp()
  onTestFinished(() => app.close())
  const [ann, ben] = [await app.register('Ann'), await app.register('Ben')]
  const ids = [uuidv7(), uuidv7()]
  for (const _id of ids) {
    const body = { _id, recipientId: ben.userId, content: 'hello' }
    await app.call('POST', '/api/messages', { token: ann.token, body })
  }
  const form = new FormData()
  form.set('file', new Blob(['x'.repeat(300_000)], { type: 'text/plain' }), 'words.txt')
  const headers = { authorization: `Bearer ${ann.token}` }
  const upload = { method: 'POST', headers, body: form }
  expect((await fetch(`${app.url}/api/messages/upload`, upload)).status).toBe(201)
  const [healthy, ill] = await app.whileStopped(async (storage) => {
    const before = await examineData(storage)
    const copies = storage.database(nameMessagesDatabase(ben.userId))
    const [first = ''] = ids
    await copies.update([first], (stored) => ({
      put: [...stored.values()].map((doc) => ({ _id: doc._id, _deleted: true as const })),
      result: undefined,
    }))
    const pieces = storage.attachments('media')
    const [piece = ''] = await pieces.list({ startkey: 'part:', endkey: 'part:~' })
    await pieces.remove([piece])
    return [before, await examineData(storage)]
  })
  expect(healthy).toMatchObject({ people: 2, places: 2, files: 1, findings: [] })
  expect(healthy.format).toBe(healthy.formatOfThisVersion)
  expect(ill.findings).toEqual([
    {
      what: 'Messages without the copy of the other person',
      count: 1,
      examples: [`${ids[0]} for ${ben.userId}`],
      mend: expect.any(String),
    },
    expect.objectContaining({ what: 'Files without all of their pieces', count: 1 }),
  ])
})
