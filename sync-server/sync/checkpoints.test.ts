import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestSync, type TestSync } from '../testing/start-test-sync.ts'

const opened = {} as { sync: TestSync }
beforeAll(async () => {
  opened.sync = await startTestSync()
})
afterAll(() => opened.sync.close())

const put = (id: string, body = {}) =>
  opened.sync.call('PUT', `messages/_local/${id}`, { body: { at: 1, ...body } })
const get = (id: string) => opened.sync.call('GET', `messages/_local/${id}`)

describe('P12: checkpoints', () => {
  it('are the newest 64 of a database; one that went is begun again', async () => {
    const ids = Array.from({ length: 70 }, (_, index) => `c${index}`)
    for (const id of ids) expect((await put(id)).status).toBe(201)
    const statuses = await Promise.all(ids.map(async (id) => (await get(id)).status))
    expect(statuses).toEqual(ids.map((_, index) => (index < 6 ? 404 : 200)))
    expect((await put('c0')).status).toBe(201)
    expect((await get('c0')).body).toMatchObject({ at: 1 })
    expect((await get('c6')).status).toBe(404)
  })

  it('that are rewritten evict none, and many at once all exist', async () => {
    const ids = Array.from({ length: 20 }, (_, index) => `side-by-side-${index}`)
    const written = await Promise.all(ids.map((id) => put(id)))
    expect(written.map(({ status }) => status)).toEqual(ids.map(() => 201))
    for (const [index, id] of ids.entries()) {
      const _rev = written[index]?.body.rev
      expect((await put(id, { _rev, at: 2 })).status).toBe(201)
      expect((await get(id)).body).toMatchObject({ at: 2 })
    }
  })

  it('cannot be the list of them, which is the server’s own', async () => {
    expect((await get('checkpoints!')).status).toBe(400)
    expect((await put('checkpoints%21')).status).toBe(400)
  })
})
