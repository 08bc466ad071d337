import { v7 as uuidv7 } from 'uuid'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { limits } from '../../schema/limits.ts'
import type { TestPerson } from '../testing/start-test-app.ts'
import { createGroupBounds } from './group-bounds.ts'
import { codeOf, openTestGroups, type TestGroups } from './testing/open-test-groups.ts'

const { createdPerDay, addedPerHour, joinedPerHour } = limits.groups

describe('P12: what one person does to groups', () => {
  const opened = {} as { groups: TestGroups }
  beforeAll(async () => {
    // Messages have a bound of their own, which each change counts for too.
    opened.groups = await openTestGroups({ RATE_LIMIT: 'on', MESSAGE_RATE: '0' })
  })
  afterAll(() => opened.groups.close())
  const ask: TestGroups['ask'] = (...asked) => opened.groups.ask(...asked)

  test('makes so many groups in a day, and the same one again is none', async () => {
    const [, ben] = opened.groups.people
    const make = (_id: string) => ask(ben, 'POST', '/api/groups', { _id, name: 'x', memberIds: [] })
    const first = uuidv7()
    expect((await make(first)).status).toBe(201)
    for (let count = 1; count < createdPerDay.max; count += 1) {
      expect((await make(uuidv7())).status).toBe(201)
    }
    const answer = await make(uuidv7())
    expect(codeOf(answer)).toEqual([429, 'too_many_groups'])
    expect(answer.body.error).toMatch(/Try again later/)
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
    const [ann] = opened.groups.people
    expect((await ask(ann, 'POST', '/api/groups', { name: 'x', memberIds: [] })).status).toBe(201)
  })

  test('follows so many links in an hour', async () => {
    const [ann, , cyd] = opened.groups.people
    const group = await opened.groups.openGroup()
    const { body: invite } = await ask(ann, 'POST', `${group.path}/invite`, {})
    const join = (person: TestPerson) => ask(person, 'POST', `/api/groups/join/${invite.code}`)
    for (let count = 0; count < joinedPerHour.max; count += 1) {
      if (count % 40 === 39) {
        // They come back so often only.
        const other = await opened.groups.openGroup()
        const { body } = await ask(ann, 'POST', `${other.path}/invite`, {})
        Object.assign(invite, { code: body.code })
        Object.assign(group, { path: other.path })
      }
      expect((await join(cyd)).status).toBe(200)
      await ask(cyd, 'POST', `${group.path}/leave`)
    }
    expect(codeOf(await join(cyd))).toEqual([429, 'too_many_joins'])
    const [, , , dan] = opened.groups.people
    expect((await join(dan)).status).toBe(200)
  })
})

test('P12: so many people are brought in within an hour; what came to nothing is given back', () => {
  const clock = { ms: 0 }
  const bounds = createGroupBounds({ isOn: true, now: () => clock.ms })
  const ann = uuidv7()
  const add = (count: number) =>
    bounds.take(ann, { kind: 'add', userIds: Array.from({ length: count }, () => uuidv7()) })
  add(addedPerHour.max - 1)
  add(1).giveBack()
  add(1)
  expect(() => add(1)).toThrow(/added too many people/)
  const create = () =>
    bounds.take(ann, { kind: 'create', name: 'x', description: '', userIds: [uuidv7()] })
  expect(create).toThrow(/added too many people/)
  // The refused one counted for no bound.
  expect(() =>
    bounds.take(ann, { kind: 'create', name: 'x', description: '', userIds: [] }),
  ).not.toThrow()
  expect(() => bounds.take(ann, { kind: 'rename', name: 'x' })).not.toThrow()
  clock.ms += addedPerHour.windowMs + 1
  add(addedPerHour.max)
})

describe('who may add me', () => {
  const opened = {} as { groups: TestGroups }
  beforeAll(async () => {
    opened.groups = await openTestGroups()
  })
  afterAll(() => opened.groups.close())
  const ask: TestGroups['ask'] = (...asked) => opened.groups.ask(...asked)

  test('everybody, until it is set to people one has a chat with, or to nobody', async () => {
    const [ann, ben, cyd] = opened.groups.people
    const group = await opened.groups.openGroup()
    const set = (groupsFrom: string) => ask(cyd, 'PUT', '/api/users/settings', { groupsFrom })
    onTestFinished(async () => void (await set('everybody')))
    const add = async () => {
      const answer = await ask(ann, 'POST', `${group.path}/members`, { memberIds: [cyd.userId] })
      await ask(ann, 'DELETE', `${group.path}/members/${cyd.userId}`)
      return answer
    }
    expect((await add()).status).toBe(200)
    expect((await set('chats')).status).toBe(200)
    const refused = await add()
    expect(codeOf(refused)).toEqual([403, 'cannot_add'])
    expect(refused.body.error).toMatch(/Nobody was added.*link/)
    const making = { name: 'x', memberIds: [ben.userId, cyd.userId] }
    expect(codeOf(await ask(ann, 'POST', '/api/groups', making))).toEqual([403, 'cannot_add'])
    // A chat of their own.
    await ask(cyd, 'POST', '/api/messages', { recipientId: ann.userId, content: 'hello' })
    expect((await add()).status).toBe(200)
    await set('nobody')
    expect(codeOf(await add())).toEqual([403, 'cannot_add'])
    // Who wants to comes by the link.
    const { body: invite } = await ask(ann, 'POST', `${group.path}/invite`, {})
    expect((await ask(cyd, 'POST', `/api/groups/join/${invite.code}`)).status).toBe(200)
  })
})
