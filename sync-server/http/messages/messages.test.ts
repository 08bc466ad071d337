import { v7 as uuidv7 } from 'uuid'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestChat, type TestChat } from '../../testing/open-test-chat.ts'
import type { TestPerson } from '../../testing/start-test-app.ts'

const opened = {} as { chat: TestChat; ann: TestPerson; ben: TestPerson; cyd: TestPerson }
beforeAll(async () => {
  opened.chat = await openTestChat()
  opened.ann = await opened.chat.register('Ann')
  opened.ben = await opened.chat.register('Ben')
  opened.cyd = await opened.chat.register('Cyd')
})
afterAll(() => opened.chat.close())

const as = (person: TestPerson) => opened.chat.as(person)
const say = (content: string, rest = {}) => opened.chat.say(opened.ann, opened.ben, content, rest)

describe('PUT /messages/{id}', () => {
  it('changes the text for both', async () => {
    const id = await say('helo')
    const answer = await as(opened.ann).put(`/messages/${id}`, { content: 'hello' })
    expect(answer.status).toBe(200)
    expect(answer.body).toMatchObject({ content: 'hello', editedAt: expect.any(String) })
    expect(await opened.chat.readStored(opened.ben, id)).toMatchObject({ content: 'hello' })
  })

  it('takes many changes at once, and ends with one of them on both sides', async () => {
    const id = await say('0')
    const contents = Array.from({ length: 10 }, (_, index) => `${index + 1}`)
    await Promise.all(contents.map((content) => as(opened.ann).put(`/messages/${id}`, { content })))
    const own = await opened.chat.readStored(opened.ann, id)
    expect(contents).toContain(own.content)
    expect((await opened.chat.readStored(opened.ben, id)).content).toBe(own.content)
  })

  it('is for its author, and finds nobody else’s', async () => {
    const id = await say('mine')
    for (const content of ['forged', 'mine']) {
      const byReader = await as(opened.ben).put(`/messages/${id}`, { content })
      expect([byReader.status, byReader.body.code]).toEqual([403, 'not_author'])
    }
    const byOther = await as(opened.cyd).put(`/messages/${id}`, { content: 'forged' })
    expect([byOther.status, byOther.body.code]).toEqual([404, 'message_not_found'])
    expect(await opened.chat.readStored(opened.ann, id)).toMatchObject({ content: 'mine' })
    expect(await opened.chat.readStored(opened.ben, id)).toMatchObject({ content: 'mine' })
  })

  it.each([
    [undefined, 400, 'invalid_input'],
    [{ content: null }, 400, 'invalid_input'],
    [{ content: ' ' }, 400, 'empty'],
    [{ content: 'x'.repeat(65_537) }, 400, 'too_long'],
  ])('refuses %j', async (body, status, code) => {
    const id = await say('stays')
    const answer = await as(opened.ann).put(`/messages/${id}`, body)
    expect([answer.status, answer.body.code]).toEqual([status, code])
    expect((await opened.chat.readStored(opened.ann, id)).content).toBe('stays')
  })

  it('refuses to change what was deleted', async () => {
    const id = await say('gone')
    await as(opened.ann).remove(`/messages/${id}`)
    const answer = await as(opened.ann).put(`/messages/${id}`, { content: 'back' })
    expect([answer.status, answer.body.code]).toEqual([409, 'deleted'])
  })
})

describe('DELETE /messages/{id}', () => {
  it('takes the words from both, and is the same again', async () => {
    const id = await say('secret')
    for (let times = 0; times < 2; times += 1) {
      const answer = await as(opened.ann).remove(`/messages/${id}`)
      expect(answer.status).toBe(200)
      expect(answer.body).toMatchObject({ _id: id, content: '', deletedAt: expect.any(String) })
    }
    expect(await opened.chat.readStored(opened.ben, id)).toMatchObject({ content: '' })
  })

  it('is for its author, and finds nobody else’s', async () => {
    const id = await say('stays')
    expect((await as(opened.ben).remove(`/messages/${id}`)).status).toBe(403)
    expect((await as(opened.cyd).remove(`/messages/${id}`)).status).toBe(404)
    for (const nothing of [uuidv7(), 'nothing', '__proto__', '..%2Fx']) {
      expect((await as(opened.ann).remove(`/messages/${nothing}`)).status).toBe(404)
    }
    expect(await opened.chat.readStored(opened.ann, id)).toMatchObject({ content: 'stays' })
  })
})

describe('POST /messages/delete-bulk', () => {
  const remove = (messageIds: unknown, person = opened.ann) =>
    as(person).post('/messages/delete-bulk', { messageIds })

  it('deletes all of one’s own', async () => {
    const ids = [await say('one'), await say('two')]
    const answer = await remove([...ids, ids[0]])
    expect([answer.status, answer.body]).toEqual([200, { messageIds: ids }])
    for (const id of ids) {
      expect((await opened.chat.readStored(opened.ben, id)).deletedAt).toEqual(expect.any(Number))
    }
  })

  it('deletes none where one is not', async () => {
    const own = await say('own')
    const foreign = await opened.chat.say(opened.ben, opened.ann, 'foreign')
    const answer = await remove([own, foreign])
    expect([answer.status, answer.body.code]).toEqual([403, 'not_author'])
    expect((await remove([own, uuidv7()])).status).toBe(404)
    expect((await remove([own], opened.cyd)).status).toBe(404)
    expect((await opened.chat.readStored(opened.ann, own)).deletedAt).toBeUndefined()
  })

  it.each([
    ['nothing', undefined],
    ['no ids', []],
    ['a word', 'all'],
    ['an operator', [{ $gt: '' }]],
    ['too many', Array(1_001).fill(uuidv7())],
  ])('refuses %s', async (_what, messageIds) => {
    expect((await remove(messageIds)).status).toBe(400)
  })
})

describe('PUT /messages/{id}/star', () => {
  it('stars one’s own copy only', async () => {
    const id = await say('shiny')
    const star = (isStarred: unknown) => as(opened.ben).put(`/messages/${id}/star`, { isStarred })
    expect((await star(true)).body).toMatchObject({ _id: id, isStarred: true })
    expect((await opened.chat.readStored(opened.ann, id)).isStarred).toBe(false)
    expect((await star(false)).body.isStarred).toBe(false)
    expect((await star('yes')).status).toBe(400)
    expect((await as(opened.cyd).put(`/messages/${id}/star`, { isStarred: true })).status).toBe(404)
  })

  it('stars nothing that was deleted', async () => {
    const id = await say('gone')
    await as(opened.ann).remove(`/messages/${id}`)
    const answer = await as(opened.ben).put(`/messages/${id}/star`, { isStarred: true })
    expect([answer.status, answer.body.code]).toEqual([409, 'message_deleted'])
  })
})
