import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { limits } from '../../../schema/limits.ts'
import { openTestChat, type TestChat } from '../../testing/open-test-chat.ts'
import { openTestRequest, readTestLevel } from '../../testing/open-test-request.ts'
import type { TestPerson } from '../../testing/start-test-app.ts'

const count = 40
/** In JSON each of these characters takes six bytes: the largest possible message. */
const content = '\u0001'.repeat(limits.messageMaxCharacters)

const opened = {} as {
  chat: TestChat
  ann: TestPerson
  ben: TestPerson
  others: TestPerson[]
  ids: string[]
}
beforeAll(async () => {
  opened.chat = await openTestChat()
  opened.ann = await opened.chat.register('Ann')
  opened.ben = await opened.chat.register('Ben')
  opened.ids = []
  for (let index = 0; index < count; index += 1) {
    opened.ids.push(await opened.chat.say(opened.ann, opened.ben, content))
  }
  opened.others = []
  for (let index = 0; index < 15; index += 1) {
    const other = await opened.chat.register(`Other-${index}`)
    await opened.chat.say(other, opened.ann, content)
    opened.others.push(other)
  }
})
afterAll(() => opened.chat.close())

const get = (path: string) => opened.chat.as(opened.ann).get(path)
const idsOf = (answer: { body: { _id: string }[] }) => answer.body.map(({ _id }) => _id)
const somewhatMore = limits.answerMaxBytes * 1.05

/** Follows the answers' links to the end. */
async function readToEnd(first: string) {
  const pages: string[][] = []
  for (let path: string | undefined = first; path; ) {
    const answer = await get(path)
    expect(answer.status).toBe(200)
    expect(Buffer.byteLength(answer.text)).toBeLessThan(somewhatMore)
    pages.push(idsOf(answer))
    path = /^<\/api(.*)>; rel="next"$/.exec(answer.headers.get('link') ?? '')?.[1]
  }
  return pages
}

describe('P12: a page of messages', () => {
  it('ends before it gets too large, and pages back from its oldest to the first', async () => {
    const pages = await readToEnd(`/messages/${opened.ben.userId}?limit=200`)
    expect(pages.length).toBeGreaterThan(3)
    expect(pages.reverse().flat()).toEqual(opened.ids)
  })

  it('comes to its end by its oldest message alone, without reading Link', async () => {
    const found: string[] = []
    for (let before = ''; ; ) {
      const ids = idsOf(await get(`/messages/${opened.ben.userId}?limit=200${before}`))
      if (ids.length === 0) break
      found.unshift(...ids)
      before = `&before=${ids[0]}`
    }
    expect(found).toEqual(opened.ids)
  })

  it('of search and of stars ends too, and goes on', async () => {
    const newestFirst = [...opened.ids].reverse()
    const word = encodeURIComponent('\u0001\u0001')
    const inOne = `/messages/search?query=${word}&userId=${opened.ben.userId}&limit=200`
    expect((await readToEnd(inOne)).flat()).toEqual(newestFirst)
    const all = (await readToEnd(`/messages/search?query=${word}&limit=200`)).flat()
    expect(all).toHaveLength(count + opened.others.length)
    expect(all.slice(-count)).toEqual(newestFirst)
    for (const id of opened.ids) {
      await opened.chat.as(opened.ann).put(`/messages/${id}/star`, { isStarred: true })
    }
    expect((await readToEnd('/messages/starred')).flat()).toEqual(newestFirst)
  })

  it('of ordinary messages is as long as it was asked for, and has no Link', async () => {
    const { ben, chat } = opened
    for (let index = 0; index < 60; index += 1) await chat.say(ben, opened.others[0] ?? ben, 'tea')
    const answer = await chat.as(ben).get(`/messages/${opened.others[0]?.userId}`)
    expect([answer.body.length, answer.headers.get('link')]).toEqual([50, null])
  })
})

describe('P12: a list of conversations', () => {
  it('has every one of them, with the beginning of what is too long', async () => {
    const answer = await get('/messages/conversations')
    expect(answer.body).toHaveLength(opened.others.length + 1)
    expect(Buffer.byteLength(answer.text)).toBeLessThan(somewhatMore)
    for (const { lastMessage } of answer.body) {
      expect(content.startsWith(lastMessage.content.slice(0, -1))).toBe(true)
      expect(lastMessage.content).toMatch(/…$/)
    }
  })

  it('that fits is left as it is', async () => {
    const [other] = opened.others
    const answer = await opened.chat.as(other ?? opened.ben).get('/messages/conversations')
    expect(answer.body.some(shows(content))).toBe(true)
  })
})

const shows = (text: string) => (one: { lastMessage: { content: string } | null }) =>
  one.lastMessage?.content === text

describe('P12: answers that nobody reads', () => {
  it('are bounded for each person, who is told so, and for nobody else', async () => {
    const chat = await openTestChat({ budget: { bytesPerPerson: 9_000_000, lateAfterMs: 60_000 } })
    const [ann, ben] = [await chat.register('Ann'), await chat.register('Ben')]
    for (let index = 0; index < 12; index += 1) await chat.say(ann, ben, content)
    const path = `/api/messages/${ben.userId}`
    const { port } = chat.app
    const ask = () => openTestRequest({ port, path, token: ann.token, isUnread: true })
    const unread = await Promise.all(Array.from({ length: 30 }, ask))
    const level = () => readTestLevel(chat.app, 'petrel_bytes_in_flight')
    await expect.poll(level).toBeGreaterThan(8_000_000)
    const refused = await chat.app.call('GET', path, { token: ann.token })
    expect([refused.status, refused.body.code]).toEqual([429, 'too_many_at_once'])
    expect(await level()).toBeLessThan(9_000_000 + limits.answerMaxBytes)
    const fromBen = await chat.app.call('GET', `/api/messages/${ann.userId}`, { token: ben.token })
    expect(fromBen.status).toBe(200)
    for (const one of unread) one.hangUp()
    await expect.poll(level).toBe(0)
    expect((await chat.app.call('GET', path, { token: ann.token })).status).toBe(200)
    await chat.close()
  })

  it('are given up after a while', async () => {
    const chat = await openTestChat({ budget: { patienceMs: 1_000 } })
    const [ann, ben] = [await chat.register('Ann'), await chat.register('Ben')]
    for (let index = 0; index < 12; index += 1) await chat.say(ann, ben, content)
    const { token } = ann
    const { port } = chat.app
    const level = () => readTestLevel(chat.app, 'petrel_bytes_in_flight')
    for (const path of [
      `/api/messages/${ben.userId}`,
      '/api/users/me/export',
      '/sync/messages/_changes?include_docs=true',
    ]) {
      const unread = await openTestRequest({ port, path, token, isUnread: true })
      // The level is back at 0 a second later, whether anybody looked meanwhile or not.
      await expect.poll(unread.isAnswered).toBe(true)
      await expect.poll(level).toBe(0)
      unread.read()
      expect((await unread.closed).status).toBe(200)
    }
    await chat.close()
  })

  it('give way to the next ones, once they are late and there is no room for all', async () => {
    const chat = await openTestChat({
      budget: { bytesPerPerson: 20_000_000, bytesOverall: 9_000_000, lateAfterMs: 300 },
    })
    const [ann, ben] = [await chat.register('Ann'), await chat.register('Ben')]
    for (let index = 0; index < 12; index += 1) await chat.say(ann, ben, content)
    const { port } = chat.app
    const path = `/api/messages/${ben.userId}`
    const unread = await Promise.all(
      Array.from({ length: 3 }, () =>
        openTestRequest({ port, path, token: ann.token, isUnread: true }),
      ),
    )
    const level = () => readTestLevel(chat.app, 'petrel_bytes_in_flight')
    await expect.poll(level).toBeGreaterThan(8_000_000)
    const ask = async () =>
      (await chat.app.call('GET', `/api/messages/${ann.userId}`, { token: ben.token })).status
    await expect.poll(ask).toBe(200)
    for (const one of unread) one.hangUp()
    await chat.close()
  })
})
