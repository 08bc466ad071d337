import { afterAll, expect, test } from 'vitest'
import { openTestGroups } from './testing/open-test-groups.ts'

const t = await openTestGroups()
const [ann, ben, cyd, dan] = t.people
afterAll(t.close)

const send = (recipientId: string, content: string, mentions: readonly string[]) =>
  t.ask(ann, 'POST', '/api/messages', { recipientId, content, mentions })

test('over REST members are mentioned by their ids, and the names stand in the text', async () => {
  const group = await t.openGroup(ben, cyd)
  const sent = await send(group.id, 'hello @Ben', [ben.userId])
  expect(sent.status).toBe(201)
  const mentions = [{ userId: ben.userId, name: 'Ben' }]
  expect(sent.body).toMatchObject({ content: 'hello @Ben', mentions })
  const list = await t.ask(cyd, 'GET', `/api/messages/${group.id}`)
  expect(list.body.at(-1)).toMatchObject({ mentions })
})

test('over REST nobody is mentioned who is not in the group or not in the text, nor between two people', async () => {
  const group = await t.openGroup(ben)
  const refusals = await Promise.all([
    send(group.id, 'hello @Dan', [dan.userId]),
    send(group.id, 'hello', [ben.userId]),
    send(ben.userId, 'hello @Ben', [ben.userId]),
    send(group.id, 'hello @Ben', Array(51).fill(ben.userId)),
    send(group.id, 'hello @Ben', ['Ben']),
  ])
  expect(refusals.map(({ status, body }) => [status, body.code])).toEqual([
    [404, 'not_in_group'],
    [400, 'invalid_input'],
    [400, 'invalid_input'],
    [400, 'invalid_input'],
    [400, 'invalid_input'],
  ])
  expect(refusals[1]?.body.error).toBe('Write @Ben in the text to mention Ben.')
  expect(await group.wordsOf(ben)).not.toContain('hello')
})

test('P14: the server tells members alone: who has gone by then is left out, and the words stay', async () => {
  const group = await t.openGroup(ben, cyd)
  const mentions = [
    { userId: ben.userId, name: 'Ben' },
    { userId: cyd.userId, name: 'Cyd' },
  ]
  const mentionedIds = [ben.userId, cyd.userId, dan.userId]
  const late = group.write(ann, '@Ben @Cyd', { mentions, mentionedIds })
  expect((await t.ask(ann, 'DELETE', `${group.path}/members/${cyd.userId}`)).status).toBe(200)
  const { body } = await group.push(ann, late)
  // Its author learns what was stored.
  expect(body[0]).toMatchObject({ id: late._id })
  const read = async () => {
    const path = `/sync/groups/${group.id}/_all_docs?include_docs=true`
    const { body: found } = await t.ask(ben, 'POST', path, { keys: [late._id] })
    return found.rows[0].doc
  }
  expect(await read()).toMatchObject({ mentions, mentionedIds: [ben.userId] })
  // Offered again as it was written it is no change.
  const stored = await read()
  await group.push(ann, { ...late, status: 'sent', _rev: stored._rev })
  expect(await read()).toEqual(stored)
})
