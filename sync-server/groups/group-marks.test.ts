import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { GroupMarks } from '../../schema/api/groups.ts'
import { findRiseTime } from '../../schema/api/mark-rises.ts'
import {
  nameConversationsDatabase,
  nameGroupOrderDatabase,
} from '../storage/documents/database-names.ts'
import type { TestPerson } from '../testing/start-test-app.ts'
import {
  type GroupMark,
  groupIndexName,
  groupUntoldKey,
  markKey,
  type NewestPlace,
  newestPlaceKey,
} from './group-documents.ts'
import { openTestGroups, type TestGroups } from './testing/open-test-groups.ts'

const opened = {} as { groups: TestGroups }
beforeAll(async () => {
  opened.groups = await openTestGroups()
})
afterAll(() => opened.groups.close())

const everybody = () => opened.groups.people
const ask: TestGroups['ask'] = (...asked) => opened.groups.ask(...asked)
type TestGroup = Awaited<ReturnType<TestGroups['openGroup']>>

const marksFor = async (person: TestPerson, group: TestGroup): Promise<GroupMarks> =>
  (await ask(person, 'GET', `${group.path}/marks`)).body

/** What this person’s devices know of the others. */
async function toldOf(person: TestPerson, group: TestGroup) {
  const { peerDeliveredUpTo = 0, peerReadUpTo = 0 } = (await group.conversationOf(person)) ?? {}
  return { deliveredUpTo: peerDeliveredUpTo, readUpTo: peerReadUpTo }
}

/** A message of Ann's, and its place. */
async function sayIn(group: TestGroup, from: TestPerson, content: string) {
  const { body } = await group.say(from, content)
  return Date.parse(body.orderedAt)
}

describe('when each member received and read', () => {
  const timesOf = async (
    asker: TestPerson,
    group: TestGroup,
    member: TestPerson,
    place: number,
  ) => {
    const { marks } = await marksFor(asker, group)
    const mark = marks.find(({ userId }) => userId === member.userId)
    return {
      deliveredAt: findRiseTime(mark?.deliveredRises, place),
      readAt: findRiseTime(mark?.readRises, place),
    }
  }

  test('the server notes when a mark rose past a message, also over a restart', async () => {
    const [ann, ben, cyd] = everybody()
    const group = await opened.groups.openGroup(ben, cyd)
    const first = await sayIn(group, ann, 'one')
    const before = Date.now()
    await group.mark(ben, { deliveredUpTo: first })
    const [second, between] = [await sayIn(group, ann, 'two'), Date.now()]
    const delivered = await timesOf(ann, group, ben, first)
    expect(delivered.readAt).toBeUndefined()
    expect(delivered.deliveredAt).toBeGreaterThanOrEqual(before)
    expect(delivered.deliveredAt).toBeLessThanOrEqual(between)
    // Whoever reads the second has read the first, and received both by then.
    await group.mark(ben, { readUpTo: second })
    const read = await timesOf(ann, group, ben, first)
    expect(read.readAt).toBeGreaterThanOrEqual(between)
    expect((await timesOf(ann, group, ben, second)).readAt).toBe(read.readAt)
    expect(await timesOf(cyd, group, ben, second)).toEqual(await timesOf(ann, group, ben, second))
    expect(await timesOf(ann, group, cyd, first)).toEqual({})
    // The same mark again, or a lower one, moves no time.
    await group.mark(ben, { readUpTo: first, deliveredUpTo: second })
    expect((await timesOf(ann, group, ben, second)).readAt).toBe(read.readAt)
    await opened.groups.app.whileStopped(async () => undefined)
    expect((await timesOf(ann, group, ben, second)).readAt).toBe(read.readAt)
  })

  test('P8: nobody learns when somebody read who hides it, nor does who hides it themselves', async () => {
    const [ann, ben, cyd] = everybody()
    const group = await opened.groups.openGroup(ben, cyd)
    const hide = (person: TestPerson, readReceipts: boolean) =>
      ask(person, 'PUT', '/api/users/settings', { readReceipts })
    expect((await hide(ben, false)).status).toBe(200)
    const place = await sayIn(group, ann, 'one')
    await group.mark(ben, { readUpTo: place })
    await group.mark(cyd, { readUpTo: place })
    const hidden = await timesOf(ann, group, ben, place)
    expect(hidden.deliveredAt).toBeDefined()
    expect(hidden.readAt).toBeUndefined()
    expect((await timesOf(ann, group, cyd, place)).readAt).toBeDefined()
    expect((await timesOf(ben, group, cyd, place)).readAt).toBeUndefined()
    await hide(ben, true)
  })

  test('P8: what was read while that was hidden has no time, also once it is told again', async () => {
    const [ann, ben] = everybody()
    const group = await opened.groups.openGroup(ben)
    const hide = (readReceipts: boolean) => ask(ben, 'PUT', '/api/users/settings', { readReceipts })
    const open = await sayIn(group, ann, 'one')
    await group.mark(ben, { readUpTo: open })
    await hide(false)
    const secret = await sayIn(group, ann, 'two')
    await group.mark(ben, { readUpTo: secret })
    const hidden = (await marksFor(ann, group)).marks
    expect(
      JSON.stringify(hidden.map(({ readUpTo, readRises }) => [readUpTo, readRises])),
    ).not.toContain(String(secret))
    await hide(true)
    const told = await sayIn(group, ann, 'three')
    await group.mark(ben, { readUpTo: told })
    const readAt = async (place: number) => (await timesOf(ann, group, ben, place)).readAt
    expect(await readAt(open)).toBeDefined()
    expect(await readAt(secret)).toBeUndefined()
    expect(await readAt(told)).toBeGreaterThan(0)
  })
})

describe('the smallest mark of the others', () => {
  test('an author is told once all others have it, and once all have read it', async () => {
    const [ann, ben, cyd] = everybody()
    const group = await opened.groups.openGroup(ben, cyd)
    const place = await sayIn(group, ann, 'hello')
    await group.mark(ben, { deliveredUpTo: place, readUpTo: place })
    expect(await marksFor(ann, group)).toMatchObject({
      marks: [
        { userId: ben.userId, deliveredUpTo: place, readUpTo: place },
        { userId: cyd.userId },
      ],
    })
    expect((await marksFor(ann, group)).deliveredUpTo).toBeLessThan(place)
    await group.mark(cyd, { deliveredUpTo: place })
    await expect.poll(() => toldOf(ann, group)).toMatchObject({ deliveredUpTo: place })
    expect((await toldOf(ann, group)).readUpTo).toBeLessThan(place)
    const [shown] = (await ask(ann, 'GET', `/api/messages/${group.id}?limit=1`)).body
    expect(shown).toMatchObject({ content: 'hello', status: 'delivered' })
    await group.mark(cyd, { readUpTo: place })
    await expect.poll(() => toldOf(ann, group)).toEqual({ deliveredUpTo: place, readUpTo: place })
    expect(await marksFor(ann, group)).toMatchObject({ deliveredUpTo: place, readUpTo: place })
    const [read] = (await ask(ann, 'GET', `/api/messages/${group.id}?limit=1`)).body
    expect(read.status).toBe('read')
  })

  test('who wrote nothing is told nothing, and no mark makes another’s rise', async () => {
    const [ann, ben, cyd, dan] = everybody()
    const group = await opened.groups.openGroup(ben, cyd, dan)
    const place = await sayIn(group, ann, 'hello')
    for (const person of [ben, cyd, dan]) await group.mark(person, { readUpTo: place })
    await expect.poll(() => toldOf(ann, group)).toEqual({ deliveredUpTo: place, readUpTo: place })
    // P12: not once for each of the three.
    expect((await group.conversationOf(ann))._rev).toMatch(/^[12]-/)
    // Ann's own marks are not hers to wait for; the others' conversations are as they made them.
    for (const person of [ben, cyd, dan]) {
      expect(await toldOf(person, group)).toEqual({ deliveredUpTo: 0, readUpTo: 0 })
    }
    expect(await group.conversationOf(ann)).toMatchObject({ deliveredUpTo: 0, readUpTo: 0 })
  })

  test('in no order of marks, messages and departures is it above any member’s own', async () => {
    const people = everybody()
    const [ann, ben, cyd, dan, eve] = people
    const group = await opened.groups.openGroup(ben, cyd, dan)
    const members = new Set([ann, ben, cyd, dan])
    /** A small generator, so that the order is the same each time. */
    const state = { seed: 11 }
    const draw = (below: number) => {
      state.seed = (state.seed * 1_103_515_245 + 12_345) % 2 ** 31
      return Math.floor((state.seed / 2 ** 31) * below)
    }
    const places = [await sayIn(group, ann, 'first')]
    const written = new Map<TestPerson, number[]>()
    for (let step = 0; step < 40; step += 1) {
      const inside = [...members]
      const who = inside[draw(inside.length)] ?? ann
      const kind = draw(10)
      if (kind < 4) {
        const place = await sayIn(group, who, `step ${step}`)
        places.push(place)
        written.set(who, [...(written.get(who) ?? []), place])
      } else if (kind < 9) {
        const upTo = places[draw(places.length)] ?? 0
        await group.mark(who, kind < 6 ? { deliveredUpTo: upTo } : { readUpTo: upTo })
      } else if (members.has(eve)) {
        await ask(ann, 'DELETE', `${group.path}/members/${eve.userId}`)
        members.delete(eve)
      } else {
        await ask(ann, 'POST', `${group.path}/members`, { memberIds: [eve.userId] })
        members.add(eve)
      }
      for (const author of members) {
        const answer = await marksFor(author, group)
        const told = await toldOf(author, group)
        expect(answer.marks.map(({ userId }) => userId).toSorted()).toEqual(
          [...members].flatMap((one) => (one === author ? [] : [one.userId])).toSorted(),
        )
        for (const mark of answer.marks) {
          expect(answer.deliveredUpTo).toBeLessThanOrEqual(mark.deliveredUpTo)
          expect(answer.readUpTo).toBeLessThanOrEqual(mark.readUpTo)
        }
        // What a departure let rise, nobody who came later takes back: so for what they wrote.
        const isCovered = (place: number) => place <= told.readUpTo
        for (const place of written.get(author)?.filter(isCovered) ?? []) {
          for (const mark of answer.marks) expect(mark.readUpTo).toBeGreaterThanOrEqual(place)
        }
      }
    }
    for (const person of members) await group.mark(person, { readUpTo: await group.lastPlace() })
    for (const author of members) {
      const last = written.get(author)?.at(-1) ?? 0
      await expect
        .poll(async () => (await toldOf(author, group)).readUpTo)
        .toBeGreaterThanOrEqual(last)
    }
  })

  test('who goes is waited for no longer, and who comes has nothing to catch up with', async () => {
    const [ann, ben, cyd, dan] = everybody()
    const group = await opened.groups.openGroup(ben, cyd)
    const place = await sayIn(group, ann, 'hello')
    await group.mark(ben, { readUpTo: place })
    await ask(ann, 'POST', `${group.path}/members`, { memberIds: [dan.userId] })
    await ask(ann, 'DELETE', `${group.path}/members/${cyd.userId}`)
    await expect.poll(() => toldOf(ann, group)).toEqual({ deliveredUpTo: place, readUpTo: place })
  })

  test('a mark reaches no further than the newest message', async () => {
    const [ann, ben] = everybody()
    const group = await opened.groups.openGroup(ben)
    await sayIn(group, ann, 'hello')
    await group.mark(ben, { readUpTo: Date.now() + 60_000 })
    const place = await group.lastPlace()
    expect(await marksFor(ann, group)).toMatchObject({ readUpTo: place, deliveredUpTo: place })
  })

  test('after a clock was set back, what lies ahead of it can be read too', async () => {
    const [ann, ben] = everybody()
    const group = await opened.groups.openGroup(ben)
    const ahead = Date.now() + 3_600_000
    await opened.groups.app.whileStopped(async (storage) => {
      const order = storage.database<NewestPlace>(nameGroupOrderDatabase(group.id))
      await order.update([newestPlaceKey], () => ({
        put: [{ _id: newestPlaceKey, place: ahead }],
        result: undefined,
      }))
    })
    const place = await sayIn(group, ann, 'ahead')
    expect(place).toBeGreaterThan(ahead)
    const read = await ask(ben, 'PUT', `/api/messages/conversations/${group.id}/read`)
    expect(read.body.unreadCount).toBe(0)
    await expect.poll(() => toldOf(ann, group)).toEqual({ deliveredUpTo: place, readUpTo: place })
  })
})

describe('read receipts', () => {
  const setReceipts = (person: TestPerson, readReceipts: boolean) =>
    ask(person, 'PUT', '/api/users/settings', { readReceipts })

  test('who hides what they read counts as having received it, and sees nobody else’s', async () => {
    const [ann, ben, cyd] = everybody()
    const group = await opened.groups.openGroup(ben, cyd)
    await setReceipts(ben, false)
    onTestFinished(async () => void (await setReceipts(ben, true)))
    const place = await sayIn(group, ann, 'hello')
    await group.mark(ben, { readUpTo: place })
    await group.mark(cyd, { readUpTo: place })
    await expect.poll(() => toldOf(ann, group)).toMatchObject({ deliveredUpTo: place })
    const seen = await marksFor(ann, group)
    const [bens, cyds] = seen.marks
    expect(bens).toMatchObject({ userId: ben.userId, deliveredUpTo: place })
    expect(bens?.readUpTo).toBeLessThan(place)
    expect(cyds).toMatchObject({ userId: cyd.userId, deliveredUpTo: place, readUpTo: place })
    expect(seen.readUpTo).toBeLessThan(place)
    expect((await toldOf(ann, group)).readUpTo).toBeLessThan(place)
    // Both ways.
    const blind = await marksFor(ben, group)
    expect(blind.marks.map(({ readUpTo }) => readUpTo)).toEqual([0, 0])
    expect(blind.readUpTo).toBe(0)
    const bensPlace = await sayIn(group, ben, 'from Ben')
    for (const person of [ann, cyd]) await group.mark(person, { readUpTo: bensPlace })
    await expect.poll(() => toldOf(ben, group)).toMatchObject({ deliveredUpTo: bensPlace })
    expect((await toldOf(ben, group)).readUpTo).toBe(0)
  })
})

describe('P3: a crash between two writes', () => {
  test('what a member has read, and the author was not told, is told at the next start', async () => {
    const [ann, ben] = everybody()
    const group = await opened.groups.openGroup(ben)
    const place = await sayIn(group, ann, 'hello')
    await opened.groups.app.whileStopped(async (storage) => {
      // As the one transaction of a mark leaves it: the mark and its note, and nothing told.
      const { _rev, ...mark } = (
        await storage.database<GroupMark>(nameGroupOrderDatabase(group.id)).range({})
      ).find(({ _id }) => _id === markKey(ann.userId)) as GroupMark & { _rev: string }
      await storage.transact({
        parts: [
          { name: nameConversationsDatabase(ben.userId), ids: [group.id] },
          { name: nameGroupOrderDatabase(group.id), ids: [markKey(ben.userId)] },
          { name: groupIndexName, ids: [groupUntoldKey(group.id)] },
        ],
        decide: () => ({
          writes: [
            {
              name: nameGroupOrderDatabase(group.id),
              put: [
                {
                  ...{ ...mark, _id: markKey(ben.userId), userId: ben.userId, wroteUpTo: 0 },
                  ...{ deliveredUpTo: place, readUpTo: place },
                },
              ],
            },
            {
              name: groupIndexName,
              put: [{ _id: groupUntoldKey(group.id), groupId: group.id } as { _id: string }],
            },
          ],
          result: undefined,
        }),
      })
    })
    await expect.poll(() => toldOf(ann, group)).toEqual({ deliveredUpTo: place, readUpTo: place })
    const isNoted = await opened.groups.app.whileStopped(async (storage) =>
      (await storage.database(groupIndexName).read([groupUntoldKey(group.id)])).has(
        groupUntoldKey(group.id),
      ),
    )
    expect(isNoted).toBe(false)
  })

  test('a kill after a mark was taken loses nothing of it', async () => {
    const [ann, ben, cyd] = everybody()
    const group = await opened.groups.openGroup(ben, cyd)
    const place = await sayIn(group, ann, 'hello')
    await group.mark(ben, { readUpTo: place })
    expect((await group.mark(cyd, { readUpTo: place })).status).toBe(201)
    await opened.groups.app.killAndStart()
    await expect.poll(() => toldOf(ann, group)).toEqual({ deliveredUpTo: place, readUpTo: place })
  })
})

test('marks are the members’ alone, and a group of one waits for nobody', async () => {
  const [ann, ben, , , eve] = everybody()
  const group = await opened.groups.openGroup(ben)
  const placed = await sayIn(group, ben, 'hello')
  expect(placed).toBeGreaterThan(0)
  expect((await ask(eve, 'GET', `${group.path}/marks`)).body.code).toBe('group_not_found')
  await ask(ben, 'POST', `${group.path}/leave`)
  expect((await ask(ben, 'GET', `${group.path}/marks`)).status).toBe(404)
  // Their marks from then on are theirs alone.
  expect((await group.mark(ben, { readUpTo: Date.now() })).status).toBe(201)
  expect(await marksFor(ann, group)).toEqual({ marks: [], deliveredUpTo: 0, readUpTo: 0 })
})
