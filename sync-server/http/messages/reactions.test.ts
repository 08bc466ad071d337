import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { MessageDocument } from '../../../schema/message.ts'
import { openTestChat, type TestChat } from '../../testing/open-test-chat.ts'
import { openTestSocket } from '../../testing/open-test-socket.ts'
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
const say = (content: string) => opened.chat.say(opened.ann, opened.ben, content)
const react = (person: TestPerson, id: string, emoji: unknown) =>
  as(person).put(`/messages/${id}/reaction`, { emoji })

async function readReactions(person: TestPerson, id: string) {
  const { reactions }: MessageDocument = await opened.chat.readStored(person, id)
  return Object.fromEntries(
    Object.entries(reactions ?? {}).map(([userId, { emoji }]) => [userId, emoji]),
  )
}

describe('a reaction', () => {
  it('is in both copies, one for each person, and is changed and taken back', async () => {
    const { ann, ben } = opened
    const id = await say('hello')
    const first = await react(ben, id, '👍')
    expect(first.body.reactions).toEqual([
      { userId: ben.userId, emoji: '👍', reactedAt: expect.any(String) },
    ])
    await react(ann, id, '❤️')
    await react(ben, id, '😢')
    const both = { [ann.userId]: '❤️', [ben.userId]: '😢' }
    expect(await readReactions(ann, id)).toEqual(both)
    expect(await readReactions(ben, id)).toEqual(both)
    const last = await react(ben, id, '')
    expect(last.body.reactions).toMatchObject([{ userId: ann.userId, emoji: '❤️' }])
    expect(await readReactions(ann, id)).toEqual({ ...both, [ben.userId]: '' })
  })

  it('leaves the words, the star and the status of both copies as they were', async () => {
    const { ann, ben } = opened
    const id = await say('untouched')
    const before = [await opened.chat.readStored(ann, id), await opened.chat.readStored(ben, id)]
    await react(ben, id, '🙏')
    const after = [await opened.chat.readStored(ann, id), await opened.chat.readStored(ben, id)]
    const plain = (message: MessageDocument | undefined) => ({
      ...message,
      reactions: undefined,
      _rev: undefined,
    })
    expect(after.map(plain)).toEqual(before.map(plain))
  })

  it.each(['x', '👍👍', 7, undefined, '<img>'])('is an emoji and not %j', async (emoji) => {
    const id = await say('not with this')
    expect((await react(opened.ben, id, emoji)).status).toBe(400)
    expect(await readReactions(opened.ben, id)).toEqual({})
  })

  it('P8: is not for anybody else', async () => {
    const id = await say('for Ben')
    expect((await react(opened.cyd, id, '👍')).status).toBe(404)
  })

  it('P4: of somebody else counts for nothing in what is pushed', async () => {
    const { ann, ben } = opened
    const id = await say('forged')
    const stored = await opened.chat.readStored(ann, id)
    const forged = { [ben.userId]: { emoji: '👍', at: Date.now() }, nobody: { emoji: '👍', at: 1 } }
    await opened.chat.app.call('POST', '/sync/messages/_bulk_docs', {
      token: ann.token,
      body: { docs: [{ ...stored, reactions: forged }] },
    })
    expect(await readReactions(ann, id)).toEqual({})
    expect(await readReactions(ben, id)).toEqual({})
  })

  it('P6: that is no emoji is refused where a whole document comes, and stays away', async () => {
    const { ann, ben } = opened
    const id = await say('words are none')
    await react(ben, id, '👍')
    const stored = await opened.chat.readStored(ben, id)
    const at = Date.now() + 1
    await opened.chat.app.call('POST', '/sync/messages/_bulk_docs', {
      token: ben.token,
      body: { docs: [{ ...stored, reactions: { [ben.userId]: { emoji: 'words', at } } }] },
    })
    expect(await opened.chat.readStored(ben, id)).toMatchObject({
      refused: { code: 'bad_reaction' },
    })
    expect(await readReactions(ben, id)).toEqual({ [ben.userId]: '👍' })
    expect(await readReactions(ann, id)).toEqual({ [ben.userId]: '👍' })
  })

  it('goes with the message when that is deleted, and comes to no deleted one', async () => {
    const { ann, ben } = opened
    const id = await say('soon gone')
    await react(ben, id, '👍')
    await as(ann).remove(`/messages/${id}`)
    expect(await readReactions(ann, id)).toEqual({})
    expect(await readReactions(ben, id)).toEqual({})
    expect((await react(ben, id, '👍')).body.code).toBe('message_deleted')
  })

  it('to somebody who has blocked its author stays with its author', async () => {
    const { ann, ben } = opened
    const id = await say('before the block')
    await as(ann).put(`/users/${ben.userId}/block`, { blocked: true })
    await react(ben, id, '👍')
    expect(await readReactions(ben, id)).toEqual({ [ben.userId]: '👍' })
    expect(await readReactions(ann, id)).toEqual({})
    await as(ann).put(`/users/${ben.userId}/block`, { blocked: false })
    await react(ben, id, '❤️')
    expect(await readReactions(ann, id)).toEqual({ [ben.userId]: '❤️' })
  })

  it('does not travel with a message that is forwarded', async () => {
    const { ann, ben, cyd } = opened
    const id = await say('tell the others')
    await react(ben, id, '👍')
    const { body } = await as(ben).post(`/messages/${id}/forward`, { recipientIds: [cyd.userId] })
    expect(body.messages[0].reactions).toBeUndefined()
    expect(await readReactions(cyd, body.messages[0]._id)).toEqual({})
    expect(await readReactions(ann, id)).toEqual({ [ben.userId]: '👍' })
  })

  it('P4: does the same by the socket, which tells what was refused', async () => {
    const { ann, ben } = opened
    const socket = await openTestSocket({ url: opened.chat.app.url, token: ben.token })
    const id = await say('by the socket')
    socket.say('set-reaction', { messageId: id, emoji: '😡' })
    await expect.poll(() => readReactions(ann, id)).toEqual({ [ben.userId]: '😡' })
    expect(await readReactions(ben, id)).toEqual({ [ben.userId]: '😡' })
    socket.say('set-reaction', { messageId: id, emoji: 'words' })
    await expect
      .poll(() => socket.last('message-refused'))
      .toMatchObject({ messageId: id, code: 'bad_reaction' })
    expect(await readReactions(ann, id)).toEqual({ [ben.userId]: '😡' })
    socket.socket.close()
    await socket.closed
  })
})
