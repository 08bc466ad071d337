import { v7 as uuidv7 } from 'uuid'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { type GroupAnswer, joinMembers } from '../../schema/api/groups.ts'
import type { ServerEvent } from '../../schema/api/socket-events.ts'
import type { GroupDocument } from '../../schema/group.ts'
import { must } from '../../schema/helpers/assertions.ts'
import { createDeferred } from '../../schema/helpers/deferred.ts'
import { nameGroupDatabase } from '../storage/documents/database-names.ts'
import type { News, SignalListener } from '../storage/documents/signals.ts'
import type { TestPerson } from '../testing/start-test-app.ts'
import { createGroupLine } from './group-line.ts'
import { openTestGroups, type TestGroups } from './testing/open-test-groups.ts'

let opened: TestGroups
beforeAll(async () => {
  opened = await openTestGroups()
})
afterAll(() => opened.close())

type Changed = Extract<ServerEvent, { event: 'group-changed' }>['data']

/** What the line tells this person of groups. */
async function listen(person: TestPerson, understands?: readonly string[]) {
  const { socket, heard } = await opened.connect(person, understands)
  onTestFinished(() => socket.close())
  const told = () =>
    (heard as ServerEvent[]).flatMap((one) => (one.event === 'group-changed' ? [one.data] : []))
  return {
    told,
    /** What was told after so many. */
    async next(count: number): Promise<Changed> {
      await expect.poll(() => told().length).toBeGreaterThan(count)
      return must(told()[count], 'what was told')
    },
  }
}

const wordsOf = ({ changes }: Changed) =>
  changes?.docs.map((doc) => (doc.line ? '[line]' : doc.content))

/** How far this person has all of the group. */
async function placeOf({ token }: TestPerson, groupId: string): Promise<number> {
  const { body } = await opened.app.call('GET', '/api/groups/places', { token })
  const places: { groupId: string; seq: number }[] = body
  return must(places.find((one) => one.groupId === groupId)?.seq, 'a place')
}

test('P7: the line brings each message, edit and change of a group with where it belongs', async () => {
  const [ann, ben] = opened.people
  const group = await opened.openGroup(ben)
  const bens = await listen(ben)
  const from = await placeOf(ben, group.id)
  const written = group.write(ann, 'at ten')
  await group.push(ann, written)
  const first = await bens.next(0)
  expect(first.changes).toMatchObject({ from, to: await placeOf(ben, group.id) })
  expect(wordsOf(first)).toEqual(['at ten'])
  await group.push(ann, { ...written, content: 'at noon', editedAt: Date.now() })
  const second = await bens.next(1)
  expect(second.changes?.from).toBe(first.changes?.to)
  expect(wordsOf(second)).toEqual(['at noon'])
  await opened.ask(ann, 'PUT', group.path, { name: 'Long walks' })
  const third = await bens.next(2)
  expect([third.changes?.from, third.changes?.group?.name]).toEqual([
    second.changes?.to,
    'Long walks',
  ])
  expect(wordsOf(third)).toEqual(['[line]'])
})

test('P14: who came later is brought nothing of before, and who comes or goes has to ask', async () => {
  const [ann, ben, cyd] = opened.people
  const group = await opened.openGroup(ben)
  const written = group.write(ann, 'before Cyd')
  await group.push(ann, written)
  const [bens, cyds] = [await listen(ben), await listen(cyd)]
  await opened.ask(ann, 'POST', `${group.path}/members`, { memberIds: [cyd.userId] })
  expect((await cyds.next(0)).changes).toBeUndefined()
  expect((await bens.next(0)).changes?.group?.members).toHaveLength(3)
  await group.push(ann, { ...written, content: 'before Cyd, edited', editedAt: Date.now() })
  expect(wordsOf(await bens.next(1))).toEqual(['before Cyd, edited'])
  const shown = await cyds.next(1)
  expect(wordsOf(shown)).toEqual([])
  expect(shown.changes?.to).toBe(await placeOf(ann, group.id))
  await group.say(ann, 'to all')
  expect(wordsOf(await cyds.next(2))).toEqual(['to all'])
  await opened.ask(ann, 'DELETE', `${group.path}/members/${cyd.userId}`)
  expect((await cyds.next(3)).changes).toBeUndefined()
  await group.say(ann, 'without Cyd')
  expect(wordsOf(await bens.next(4))).toEqual(['without Cyd'])
  expect(cyds.told()).toHaveLength(4)
})

test('P7: what is too large for a frame, and what others wrote at the same moment, leaves no gap', async () => {
  const [ann, ben] = opened.people
  const group = await opened.openGroup(ben)
  const bens = await listen(ben)
  await group.say(ann, 'x'.repeat(40_000))
  expect((await bens.next(0)).changes).toBeUndefined()
  let place = await placeOf(ben, group.id)
  await Promise.all(Array.from({ length: 20 }, (_, n) => group.say(ann, `word ${n}`)))
  const end = await placeOf(ben, group.id)
  await expect.poll(() => bens.told().at(-1)?.changes?.to).toBe(end)
  const words: unknown[] = []
  for (const told of bens.told().slice(1)) {
    expect(told.changes?.from).toBe(place)
    place = must(told.changes, 'changes').to
    words.push(...must(wordsOf(told), 'words'))
  }
  expect(words.toSorted()).toEqual(Array.from({ length: 20 }, (_, n) => `word ${n}`).toSorted())
})

test('P12: a change in a group of a thousand costs each member a short frame or answer, and apps from before ask', async () => {
  const [ann, ben, cyd, dan] = opened.people
  const group = await opened.openGroup(ben, cyd, dan)
  await opened.app.whileStopped(async (storage) => {
    const stored = storage.database<GroupDocument>(nameGroupDatabase(group.id))
    await stored.update([group.id], (found) => {
      const record = must(found.get(group.id), 'a record')
      const [member] = record.members.slice(-1)
      const others = Array.from({ length: 1_000 }, () => ({
        ...must(member, 'a member'),
        userId: uuidv7(),
      }))
      return { put: [{ ...record, members: [...record.members, ...others] }], result: undefined }
    })
  })
  const before: GroupAnswer = await group.read(ben)
  const bens = await listen(ben, ['groups', 'group-parts'])
  const cyds = await listen(cyd)
  await opened.ask(ann, 'PUT', `${group.path}/members/${dan.userId}`, { role: 'admin' })
  const told = await bens.next(0)
  const { part } = must(told.changes, 'changes')
  expect(JSON.stringify(told).length).toBeLessThan(8_000)
  expect(part?.members.map(({ userId, role }) => [userId, role])).toContainEqual([
    dan.userId,
    'admin',
  ])
  expect(joinMembers(before, must(part, 'a part'))).toEqual((await group.read(ben)).members)
  expect((await cyds.next(0)).changes).toBeUndefined()

  const pull = async (records?: Record<string, number>) => {
    const since = { [group.id]: `${told.changes?.from}-1` }
    const asked = { since, limit: 500, records }
    const { body } = await opened.ask(ben, 'POST', '/sync/groups/_changes', asked)
    return body.groups.find((one: { _id: string }) => one._id === group.id)
  }
  expect((await pull()).group.members).toHaveLength(1_004)
  const answered = await pull({ [group.id]: must(before.membersAt, 'a place') })
  expect(answered.group).toBeUndefined()
  expect(answered.part.members).toHaveLength(1)
  expect(joinMembers(before, answered.part)).toEqual((await group.read(ben)).members)
})

const groupId = uuidv7()
const memberOf = (from: number) => ({
  ...{ userId: uuidv7(), role: 'member' as const },
  ...{ from, joinedPlace: from, rolePlace: from, joinedAt: from },
})
const recordOf = (members: GroupDocument['members'], more: Partial<GroupDocument> = {}) => ({
  ...{ _id: groupId, name: 'Hikes', description: '', createdBy: uuidv7(), createdAt: 1 },
  settings: { whoWrites: 'all' as const, whoChanges: 'all' as const, showsHistory: false },
  ...{ members, former: [], lastPlace: 9 },
  ...more,
})
const messageOf = (orderedAt: number) => ({
  ...{ _id: uuidv7(), orderedAt, changedPlace: 9, peerId: groupId, content: 'a secret' },
})

/** A line of this group, all of whose members are there, with its writes said by hand. */
function openLine(record: GroupDocument) {
  const heard: string[] = []
  const listeners: SignalListener[] = []
  const reading = createDeferred()
  const line = createGroupLine({
    signals: {
      subscribe(listener) {
        listeners.push(listener)
        return () => undefined
      },
    },
    connections: {
      has: () => true,
      tell: (userId) => void heard.push(`${userId} asks`),
      tellBest: (userId, texts) => void heard.push(`${userId} reads ${texts.at(-1)?.[1]()}`),
    },
    async find() {
      await reading.promise
      return record
    },
    onError: (error) => expect.unreachable(String(error)),
  })
  const write = (seq: number, docs: readonly object[]) => {
    const news = { from: seq - 1, docs } as unknown as News
    for (const listen of listeners) listen(nameGroupDatabase(groupId), seq, news)
  }
  return { heard, line, write, reading }
}

test('P14: who is removed while their group is read is brought nothing of after', async () => {
  const [first, second] = [memberOf(1), memberOf(1)]
  const { heard, line, write, reading } = openLine(recordOf([first, second]))
  write(1, [messageOf(5)])
  line.tell(groupId)
  const former = [{ userId: second.userId, from: 1, to: 8 }]
  write(2, [recordOf([first], { former }), messageOf(9)])
  reading.resolve()
  await expect.poll(() => heard.length).toBeGreaterThan(0)
  expect(heard.filter((told) => told.startsWith(second.userId))).toEqual([])
  expect(heard).toEqual([expect.stringContaining('a secret')])
})

test('P12: much that each member reads differently is asked for, and is not worked out for all at once', async () => {
  const members = [memberOf(1), ...Array.from({ length: 200 }, () => memberOf(7))]
  const { heard, line, write, reading } = openLine(recordOf(members))
  write(
    1,
    Array.from({ length: 100 }, () => messageOf(5)),
  )
  reading.resolve()
  line.tell(groupId)
  await expect.poll(() => heard).toEqual(members.map(({ userId }) => `${userId} asks`))
  write(2, [messageOf(5)])
  line.tell(groupId)
  await expect.poll(() => heard.length).toBe(2 * members.length)
  expect(heard.slice(members.length).every((told) => told.includes(' reads '))).toBe(true)
})
