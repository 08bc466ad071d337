import { v7 as uuidv7 } from 'uuid'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { limits } from '../../../schema/limits.ts'
import { openTestChat, type TestChat } from '../../testing/open-test-chat.ts'
import { startTestApp, type TestPerson } from '../../testing/start-test-app.ts'

const opened = {} as { chat: TestChat; ann: TestPerson; ben: TestPerson; cyd: TestPerson }
beforeAll(async () => {
  opened.chat = await openTestChat()
  opened.ann = await opened.chat.register('Ann')
  opened.ben = await opened.chat.register('Ben')
  opened.cyd = await opened.chat.register('Cyd')
})
afterAll(() => opened.chat.close())

const as = (person: TestPerson) => opened.chat.as(person)
const contentsOf = (answer: { body: { content: string }[] }) =>
  answer.body.map(({ content }) => content)

describe('GET /messages/{userId}', () => {
  it('pages back from the newest 50, oldest first', async () => {
    const dia = await opened.chat.register('Dia')
    const ids: string[] = []
    for (let index = 0; index < 120; index += 1) {
      const [from, to] = index % 2 ? [dia, opened.ann] : [opened.ann, dia]
      ids.push(await opened.chat.say(from, to, `${index}`))
    }
    const list = (query = '') => as(dia).get(`/messages/${opened.ann.userId}${query}`)
    const newest = await list()
    expect(newest.status).toBe(200)
    expect(contentsOf(newest)).toEqual(Array.from({ length: 50 }, (_, index) => `${70 + index}`))
    const before = await list(`?before=${newest.body[0]._id}`)
    expect(contentsOf(before)).toEqual(Array.from({ length: 50 }, (_, index) => `${20 + index}`))
    const oldest = await list(`?before=${before.body[0]._id}&limit=200`)
    expect(contentsOf(oldest)).toEqual(Array.from({ length: 20 }, (_, index) => `${index}`))
    expect(contentsOf(await list(`?before=${ids[0]}`))).toEqual([])
    expect(contentsOf(await list('?limit=1'))).toEqual(['119'])
    const own = await as(opened.ann).get(`/messages/${dia.userId}?limit=200`)
    expect(own.body.map(({ _id }: { _id: string }) => _id)).toEqual(ids)
  })

  it.each(['?limit=0', '?limit=201', '?limit=-1', '?limit=x', '?limit=1&limit=2', '?before=x'])(
    'refuses %s',
    async (query) => {
      const answer = await as(opened.ann).get(`/messages/${opened.ben.userId}${query}`)
      expect([answer.status, answer.body.code]).toEqual([400, 'invalid_input'])
    },
  )

  it('finds nobody, and nothing of other conversations', async () => {
    for (const nobody of [uuidv7(), 'nobody', opened.ann.userId, '__proto__']) {
      const answer = await as(opened.ann).get(`/messages/${nobody}`)
      expect([answer.status, answer.body.code]).toEqual([404, 'user_not_found'])
    }
    const foreign = await opened.chat.say(opened.ben, opened.cyd, 'between us')
    const answer = await as(opened.ann).get(`/messages/${opened.ben.userId}?before=${foreign}`)
    expect([answer.status, answer.body.code]).toEqual([404, 'message_not_found'])
  })

  it('P8: shows a third person nothing of what two said', async () => {
    await opened.chat.say(opened.ben, opened.cyd, 'secret')
    const lists = await Promise.all([
      as(opened.ann).get(`/messages/${opened.ben.userId}`),
      as(opened.ann).get(`/messages/${opened.cyd.userId}`),
      as(opened.ann).get('/messages/search?query=secret'),
    ])
    expect(lists.flatMap(contentsOf)).not.toContain('secret')
  })

  it('hides messages that a blocked person wrote during the block', async () => {
    const eve = await opened.chat.register('Eve')
    await opened.chat.say(eve, opened.ann, 'before')
    await as(opened.ann).put(`/users/${eve.userId}/block`, { blocked: true })
    const held = await opened.chat.say(eve, opened.ann, 'held')
    await as(opened.ann).put(`/users/${eve.userId}/block`, { blocked: false })
    await opened.chat.say(eve, opened.ann, 'after')
    expect(contentsOf(await as(opened.ann).get(`/messages/${eve.userId}`))).toEqual([
      'before',
      'after',
    ])
    expect(contentsOf(await as(eve).get(`/messages/${opened.ann.userId}`))).toEqual([
      'before',
      'held',
      'after',
    ])
    expect((await as(eve).get(`/messages/${held}/status`)).body.status).toBe('sent')
    expect((await as(opened.ann).get('/messages/conversations')).body).toEqual(
      expect.arrayContaining([expect.objectContaining({ _id: eve.userId, unreadCount: 2 })]),
    )
  })
})

describe('GET /messages/phone/{phone}', () => {
  it('is the conversation with the person of a number', async () => {
    const phoned = await opened.chat.register('Phoned')
    await as(phoned).put('/users/profile', { phone_number: '+55 11 98765-4321' })
    await opened.chat.say(opened.ann, phoned, 'by phone')
    for (const phone of ['5511987654321', '+55 (11) 98765-4321', '551187654321']) {
      const answer = await as(opened.ann).get(`/messages/phone/${encodeURIComponent(phone)}`)
      expect([answer.status, contentsOf(answer)]).toEqual([200, ['by phone']])
    }
    expect((await as(opened.ann).get('/messages/phone/19999999999')).body).toEqual([])
    expect((await as(phoned).get('/messages/phone/5511987654321')).body).toEqual([])
    const short = await as(opened.ann).get('/messages/phone/12345')
    expect([short.status, short.body.error]).toEqual([
      400,
      'Phone number must be at least 10 digits',
    ])
  })
})

describe('GET /messages/phone/{phone} of a stranger', () => {
  it('P8: answers as for a number of nobody, whatever it is asked to start before', async () => {
    const [gil, hal] = [await opened.chat.register('Gil'), await opened.chat.register('Isolde')]
    await as(hal).put('/users/profile', { phone_number: '+1 650 555 7711' })
    const own = await opened.chat.say(gil, opened.ben, 'to somebody else')
    const foreign = await opened.chat.say(opened.ann, hal, 'not for Gil')
    const ask = async (phone: string, query: string) => {
      const { status, body } = await as(gil).get(`/messages/phone/${phone}${query}`)
      return { status, body }
    }
    for (const query of ['', `?before=${own}`, `?before=${foreign}`, `?before=${uuidv7()}`]) {
      expect(await ask('16505557711', query)).toEqual(await ask('19999999999', query))
    }
    expect(await ask('19999999999', '')).toEqual({ status: 200, body: [] })
    expect(await ask('19999999999', `?before=${foreign}`)).toMatchObject({
      status: 404,
      body: { code: 'message_not_found' },
    })
  })

  it('P12: counts with the other lookups of a number', async () => {
    const app = await startTestApp({ RATE_LIMIT: 'on' })
    onTestFinished(() => app.close())
    const { token } = await app.register('Ann')
    const ask = (path: string) => app.call('GET', `/api${path}`, { token })
    const { max } = limits.phoneLookups
    for (let index = 1; index < max; index += 1) {
      const query = index % 2 ? '' : `?before=${uuidv7()}`
      const { status } = await ask(`/messages/phone/${16505550000 + index}${query}`)
      expect(status).toBe(index % 2 ? 200 : 404)
    }
    expect((await ask('/users/phone/16505550000')).status).toBe(404)
    for (const query of ['', `?before=${uuidv7()}`]) {
      const refused = await ask(`/messages/phone/16505550000${query}`)
      expect([refused.status, refused.body.code]).toEqual([429, 'too_many_lookups'])
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    }
  })
})

describe('GET /messages/search', () => {
  it('finds in any case, newest first, a page at a time', async () => {
    const fay = await opened.chat.register('Fay')
    for (let index = 0; index < 60; index += 1) {
      await opened.chat.say(
        index % 2 ? fay : opened.cyd,
        index % 2 ? opened.cyd : fay,
        `Tea ${index}`,
      )
    }
    await opened.chat.say(fay, opened.ann, 'a cup of TEA')
    const search = (query: string) => as(fay).get(`/messages/search?query=${query}`)
    const first = await search('tEa')
    expect(first.status).toBe(200)
    expect(contentsOf(first).slice(0, 3)).toEqual(['a cup of TEA', 'Tea 59', 'Tea 58'])
    expect(first.body).toHaveLength(50)
    const next = await search(`tea&before=${first.body.at(-1)._id}`)
    expect(contentsOf(next)).toEqual(Array.from({ length: 11 }, (_, index) => `Tea ${10 - index}`))
    const one = await search(`tea&userId=${opened.cyd.userId}&limit=2`)
    expect(contentsOf(one)).toEqual(['Tea 59', 'Tea 58'])
    const older = await search(`tea&userId=${opened.cyd.userId}&limit=2&before=${one.body[1]._id}`)
    expect(contentsOf(older)).toEqual(['Tea 57', 'Tea 56'])
  })

  it('finds nothing that was deleted, nothing for nothing, and takes signs as they are', async () => {
    const id = await opened.chat.say(opened.ann, opened.ben, 'vanishing .* words')
    const search = (query: string) =>
      as(opened.ann).get(`/messages/search?query=${encodeURIComponent(query)}`)
    expect(contentsOf(await search('.*'))).toEqual(['vanishing .* words'])
    await as(opened.ann).remove(`/messages/${id}`)
    expect((await search('vanishing')).body).toEqual([])
    expect((await search('  ')).body).toEqual([])
  })

  it.each([
    ['', 400, 'A search text is required'],
    ['?query=a&query=b', 400, 'A search text is required'],
    ['?query=a&userId=nobody', 404, 'User not found'],
    ['?query=a&before=00000000-0000-7000-8000-000000000000', 404, 'Message not found'],
  ])('refuses %j', async (query, status, words) => {
    const answer = await as(opened.ann).get(`/messages/search${query}`)
    expect([answer.status, answer.body.error]).toEqual([status, words])
  })
})

describe('GET /messages/starred', () => {
  it('lists what one has starred oneself, newest first', async () => {
    const gus = await opened.chat.register('Gus')
    const ids = [
      await opened.chat.say(opened.ann, gus, 'one'),
      await opened.chat.say(gus, opened.ann, 'two'),
      await opened.chat.say(opened.ben, gus, 'three'),
    ]
    expect((await as(gus).get('/messages/starred')).body).toEqual([])
    for (const id of ids) await as(gus).put(`/messages/${id}/star`, { isStarred: true })
    await as(gus).put(`/messages/${ids[1]}/star`, { isStarred: false })
    expect(contentsOf(await as(gus).get('/messages/starred'))).toEqual(['three', 'one'])
    expect((await as(opened.ann).get('/messages/starred')).body).toEqual([])
  })

  it('shows nothing of what its reader deleted for themselves, to nobody but them', async () => {
    const { chat, ann } = opened
    const hal = await chat.register('Nadir')
    const id = await chat.say(ann, hal, 'a lighthouse at dusk')
    await as(hal).put(`/messages/${id}/star`, { isStarred: true })
    const token = { token: hal.token }
    const stored = await chat.app.call('GET', `/sync/messages/${id}`, token)
    const hidden = { ...stored.body, isHidden: true, isHiddenAt: Date.now() }
    const body = { docs: [hidden] }
    await chat.app.call('POST', '/sync/messages/_bulk_docs', { ...token, body })
    for (const path of ['starred', 'search?query=lighthouse', ann.userId]) {
      expect((await as(hal).get(`/messages/${path}`)).body, path).toEqual([])
    }
    const [row] = (await as(hal).get('/messages/conversations')).body
    expect(row).toMatchObject({ unreadCount: 0, lastMessage: { content: '' } })
    expect(contentsOf(await as(ann).get(`/messages/${hal.userId}`))).toEqual([
      'a lighthouse at dusk',
    ])
  })
})
