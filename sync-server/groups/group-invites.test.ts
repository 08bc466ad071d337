import { v7 as uuidv7 } from 'uuid'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { GroupDocument } from '../../schema/group.ts'
import { must } from '../../schema/helpers/assertions.ts'
import { limits } from '../../schema/limits.ts'
import { nameGroupDatabase, nameGroupOrderDatabase } from '../storage/documents/database-names.ts'
import type { TestPerson } from '../testing/start-test-app.ts'
import { askKey, type GroupAsk } from './group-documents.ts'
import { codeOf, openTestGroups, type TestGroups } from './testing/open-test-groups.ts'

const opened = {} as { groups: TestGroups }
beforeAll(async () => {
  opened.groups = await openTestGroups({ PUBLIC_URL: 'https://chat.example.org' })
})
afterAll(() => opened.groups.close())

const everybody = () => opened.groups.people
const ask: TestGroups['ask'] = (...asked) => opened.groups.ask(...asked)

/** Ann's group with Ben, and her link. */
async function openInvited(wanted: object = {}) {
  const [ann, ben] = everybody()
  const group = await opened.groups.openGroup(ben)
  const made = await ask(ann, 'POST', `${group.path}/invite`, wanted)
  expect(made.status).toBe(201)
  const code: string = made.body.code
  return {
    ...group,
    code,
    url: made.body.url as string,
    link: `/api/groups/join/${code}`,
    join: (person: TestPerson, key?: string) =>
      ask(person, 'POST', `/api/groups/join/${code}`, undefined, key),
    kinds: async (): Promise<string[]> => {
      const { body } = await ask(ann, 'GET', `/api/messages/${group.id}?limit=200`)
      return body.flatMap(
        (one: { line?: { change: { kind: string } } }) => one.line?.change.kind ?? [],
      )
    },
    waiting: async (): Promise<string[]> => {
      const { body } = await ask(ann, 'GET', `${group.path}/requests`)
      return body.requests.map(({ userId }: { userId: string }) => userId)
    },
    answer: (admin: TestPerson, { userId }: TestPerson, isAccepted: boolean) =>
      ask(admin, 'POST', `${group.path}/requests/${userId}`, { isAccepted }),
  }
}

describe('a link into a group', () => {
  test('shows its name and how many are in it, and lets in whoever has it, with a line', async () => {
    const [ann, ben, cyd] = everybody()
    const group = await openInvited()
    expect(group.code).toMatch(/^[\w-]{22}$/)
    expect(group.url).toBe(`https://chat.example.org/join/${group.code}`)
    const seen = await ask(cyd, 'GET', group.link)
    expect(seen.body).toEqual({
      ...{ name: 'Hikes', picture: null, memberCount: 2, requiresApproval: false },
      state: 'outside',
    })
    for (const { userId, username } of [ann, ben]) {
      expect(seen.text).not.toContain(userId)
      expect(seen.text).not.toContain(username)
    }
    const joined = await group.join(cyd)
    expect(joined.body.group.members).toHaveLength(3)
    expect(await group.kinds()).toEqual(['create', 'join'])
    expect((await group.say(cyd, 'hello')).status).toBe(201)
    // Newcomers read from their line on.
    expect(await group.wordsOf(cyd)).toEqual(['[line]', 'hello'])
    expect((await ask(cyd, 'GET', group.link)).body).toMatchObject({
      ...{ state: 'member', groupId: group.id },
    })
    expect((await ask(ann, 'GET', `${group.path}/invite`)).body.invite).toMatchObject({
      ...{ code: group.code, uses: 1, usesMax: null, endsAt: null },
    })
    // The code is the admins' to give away: no line, no record has it.
    const read = await ask(cyd, 'GET', `/sync/groups/${group.id}/_changes?include_docs=true`)
    expect(read.text).not.toContain(group.code)
    expect(JSON.stringify(await group.read(cyd))).not.toContain(group.code)
  })

  test('P2: who joins twice is in once, also after a kill', async () => {
    const [, , cyd] = everybody()
    const group = await openInvited()
    const key = uuidv7()
    await group.join(cyd, key)
    await opened.groups.app.killAndStart()
    expect((await group.join(cyd, key)).body.group.members).toHaveLength(3)
    expect((await group.join(cyd)).status).toBe(200)
    expect(await group.kinds()).toEqual(['create', 'join'])
  })

  test('of a withdrawn one it says so, of an unknown one too, and a new one ends the one before', async () => {
    const [ann, ben, cyd] = everybody()
    const group = await openInvited()
    expect((await ask(ann, 'DELETE', `${group.path}/invite`)).body).toEqual({ isRevoked: true })
    for (const answer of [await ask(cyd, 'GET', group.link), await group.join(cyd)]) {
      expect(codeOf(answer)).toEqual([410, 'invite_revoked'])
      expect(answer.body.error).toMatch(/withdrawn.*Ask an admin/)
    }
    expect((await ask(ann, 'GET', `${group.path}/invite`)).body).toEqual({ invite: null })
    const unknown = await ask(cyd, 'POST', '/api/groups/join/AAAAAAAAAAAAAAAAAAAAAA')
    expect(codeOf(unknown)).toEqual([404, 'invite_unknown'])
    const other = await openInvited()
    await ask(ann, 'PUT', `${other.path}/members/${ben.userId}`, { role: 'admin' })
    const next = await ask(ben, 'POST', `${other.path}/invite`, {})
    // Withdrawn by its code, an earlier one takes no newer one with it.
    expect((await ask(ann, 'DELETE', `${other.path}/invite?code=${other.code}`)).status).toBe(200)
    expect(codeOf(await other.join(cyd))).toEqual([410, 'invite_revoked'])
    expect((await ask(cyd, 'POST', `/api/groups/join/${next.body.code}`)).status).toBe(200)
    await ask(ann, 'DELETE', other.path)
    const late = await ask(cyd, 'GET', `/api/groups/join/${next.body.code}`)
    expect(codeOf(late)).toEqual([410, 'invite_over'])
  })

  test('it has an end, and a number of people', async () => {
    const [ann, , cyd, dan] = everybody()
    const once = await openInvited({ usesMax: 1 })
    expect((await once.join(cyd)).status).toBe(200)
    expect(codeOf(await once.join(dan))).toEqual([410, 'invite_used_up'])
    // Who is in by it stays in.
    expect((await once.join(cyd)).status).toBe(200)
    const past = { endsAt: new Date(Date.now() - 1_000).toISOString() }
    const refused = await ask(ann, 'POST', `${once.path}/invite`, past)
    expect(codeOf(refused)).toEqual([400, 'invalid_input'])
    expect(refused.body.error).toMatch(/ended already/)
    const brief = await openInvited({ endsAt: new Date(Date.now() + 3_600_000).toISOString() })
    await opened.groups.app.whileStopped(async (storage) => {
      // As an hour later.
      const stored = storage.database<GroupDocument>(nameGroupDatabase(brief.id))
      await stored.update([brief.id], (found) => {
        const record = must(found.get(brief.id), 'the group')
        const invite = { ...must(record.invite, 'a link'), endsAt: Date.now() - 1 }
        return { put: [{ ...record, invite }], result: undefined }
      })
    })
    expect(codeOf(await brief.join(cyd))).toEqual([410, 'invite_over'])
    expect(await brief.kinds()).toEqual(['create'])
  })

  test('of a withdrawal and people who join at the same moment the first to arrive wins', async () => {
    const [ann, , cyd, dan, eve] = everybody()
    for (let round = 0; round < 5; round += 1) {
      const group = await openInvited()
      const [cydJoins, , danJoins, eveJoins] = await Promise.all([
        group.join(cyd),
        ask(ann, 'DELETE', `${group.path}/invite`),
        group.join(dan),
        group.join(eve),
      ])
      const came = [cydJoins, danJoins, eveJoins]
      for (const answer of came) {
        expect([200, 410]).toContain(answer.status)
        if (answer.status === 410) expect(answer.body.code).toBe('invite_revoked')
      }
      const { members } = await group.read()
      const count = came.filter(({ status }) => status === 200).length
      expect(members).toHaveLength(2 + count)
      expect(await group.kinds()).toEqual([
        'create',
        ...Array.from({ length: count }, () => 'join'),
      ])
      expect(codeOf(await group.join(opened.groups.people[2]))[0]).toBe(
        cydJoins.status === 200 ? 200 : 410,
      )
    }
  })

  test('everybody at once: no more come than it is for', async () => {
    const [, , cyd, dan, eve] = everybody()
    const group = await openInvited({ usesMax: 2 })
    const answers = await Promise.all([cyd, dan, eve].map((person) => group.join(person)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 410])
    expect((await group.read()).members).toHaveLength(4)
  })

  test('who was removed by an admin does not come back by an older one; who left does', async () => {
    const [ann, ben, cyd] = everybody()
    const group = await openInvited()
    await group.join(cyd)
    await ask(ann, 'DELETE', `${group.path}/members/${cyd.userId}`)
    for (const answer of [await group.join(cyd), await ask(cyd, 'GET', group.link)]) {
      expect(codeOf(answer)).toEqual([403, 'removed_before'])
      expect(answer.body.error).toMatch(/removed you.*after this link was made/)
    }
    await ask(ben, 'POST', `${group.path}/leave`)
    expect((await group.join(ben)).status).toBe(200)
    const next = await ask(ann, 'POST', `${group.path}/invite`, {})
    expect((await ask(cyd, 'POST', `/api/groups/join/${next.body.code}`)).status).toBe(200)
  })

  test('only admins make, see and withdraw it, and to strangers there is no group', async () => {
    const [, ben, , , eve] = everybody()
    const group = await openInvited()
    const calls = [
      ['POST', 'invite', {}],
      ['GET', 'invite', undefined],
      ['DELETE', 'invite', undefined],
      ['GET', 'requests', undefined],
      ['POST', `requests/${eve.userId}`, { isAccepted: true }],
    ] as const
    for (const [method, end, body] of calls) {
      const path = `${group.path}/${end}`
      expect(codeOf(await ask(ben, method, path, body))).toEqual([403, 'admins_only'])
      expect(codeOf(await ask(eve, method, path, body))).toEqual([404, 'group_not_found'])
    }
  })
})

describe('a link that asks', () => {
  test('somebody waits until an admin lets them in', async () => {
    const [ann, ben, cyd] = everybody()
    const group = await openInvited({ requiresApproval: true })
    const anns = await opened.groups.connect(ann)
    onTestFinished(() => anns.socket.close())
    expect((await group.join(cyd)).body).toEqual({ group: null })
    expect((await group.join(cyd)).body).toEqual({ group: null })
    await expect.poll(() => anns.count('group-changed')).toBe(1)
    expect((await ask(cyd, 'GET', group.link)).body.state).toBe('waiting')
    expect(await group.waiting()).toEqual([cyd.userId])
    expect((await group.say(cyd, 'hello')).status).toBe(404)
    expect(codeOf(await group.answer(ben, cyd, true))).toEqual([403, 'admins_only'])
    const accepted = await group.answer(ann, cyd, true)
    expect(accepted.body.group.members).toHaveLength(3)
    // A lost answer asks again.
    expect((await group.answer(ann, cyd, true)).status).toBe(200)
    expect(await group.kinds()).toEqual(['create', 'add'])
    expect(await group.waiting()).toEqual([])
    expect((await group.say(cyd, 'hello')).status).toBe(201)
    // Their leaving does not make them wait again.
    await ask(cyd, 'POST', `${group.path}/leave`)
    expect(await group.waiting()).toEqual([])
    expect(codeOf(await group.answer(ann, cyd, true))).toEqual([404, 'request_not_found'])
  })

  test('who is declined cannot ask again by that link, and can by another', async () => {
    const [ann, , cyd] = everybody()
    const group = await openInvited({ requiresApproval: true })
    await group.join(cyd)
    expect((await group.answer(ann, cyd, false)).status).toBe(200)
    expect(codeOf(await group.join(cyd))).toEqual([403, 'request_declined'])
    expect(codeOf(await group.answer(ann, cyd, true))).toEqual([404, 'request_not_found'])
    // The same answer once more, when the first one's reply was lost.
    expect((await group.answer(ann, cyd, false)).status).toBe(200)
    const next = await ask(ann, 'POST', `${group.path}/invite`, { requiresApproval: true })
    const again = await ask(cyd, 'POST', `/api/groups/join/${next.body.code}`)
    expect(again.body).toEqual({ group: null })
    expect(await group.waiting()).toEqual([cyd.userId])
    // An admin who adds them has answered, too.
    await ask(ann, 'POST', `${group.path}/members`, { memberIds: [cyd.userId] })
    expect(await group.waiting()).toEqual([])
  })

  test('an admin can let in who waits, also somebody who lets nobody add them', async () => {
    const [ann, , , dan] = everybody()
    const group = await openInvited({ requiresApproval: true })
    await ask(dan, 'PUT', '/api/users/settings', { groupsFrom: 'nobody' })
    onTestFinished(
      async () => void (await ask(dan, 'PUT', '/api/users/settings', { groupsFrom: 'everybody' })),
    )
    await group.join(dan)
    expect((await group.answer(ann, dan, true)).status).toBe(200)
    expect(await group.waiting()).toEqual([])
  })

  test('a deleted account waits no more', async () => {
    const [ann] = everybody()
    const group = await openInvited({ requiresApproval: true })
    const fay = await opened.groups.app.register('Fay')
    await group.join(fay)
    expect(await group.waiting()).toEqual([fay.userId])
    await opened.groups.app.leave(fay)
    expect(await group.waiting()).toEqual([])
    expect(codeOf(await group.answer(ann, fay, true))).toEqual([403, 'cannot_add'])
  })

  test('P12: no more than so many wait for one group', async () => {
    const [, , cyd] = everybody()
    const group = await openInvited({ requiresApproval: true })
    const others = Array.from({ length: limits.groups.waitingMax }, () => uuidv7())
    await opened.groups.app.whileStopped(async (storage) => {
      const order = storage.database<GroupAsk>(nameGroupOrderDatabase(group.id))
      const asks = others.map((userId) => ({
        ...{ _id: askKey(userId), userId, askedAt: 1, code: group.code },
      }))
      await order.update(
        asks.map(({ _id }) => _id),
        () => ({ put: asks, result: undefined }),
      )
    })
    const answer = await group.join(cyd)
    expect(codeOf(answer)).toEqual([409, 'too_many_waiting'])
    expect(answer.body.error).toMatch(/Try again later/)
  })
})
