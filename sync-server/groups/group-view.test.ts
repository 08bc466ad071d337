import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { v7 as uuidv7 } from 'uuid'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { GroupDocument } from '../../schema/group.ts'
import { must } from '../../schema/helpers/assertions.ts'
import { messageDocument } from '../../schema/message.ts'
import { nameGroupDatabase } from '../storage/documents/database-names.ts'
import type { Document, Seq } from '../storage/documents/documents.ts'
import { createStorage } from '../storage/storage.ts'
import { answerGroupChanges } from '../sync/answer-group-changes.ts'
import { joinGroup, type StoredGroupMessage } from './group-documents.ts'
import { createGroupView } from './group-view.ts'

const [ann, ben] = [uuidv7(), uuidv7()]
const memberOf = (userId: string, place: number) => ({
  userId,
  role: 'member' as const,
  ...{ from: place, joinedPlace: place, rolePlace: place, joinedAt: place },
})

/** Ann's group with this many messages from before Ben came, and some from after that. */
async function openLongGroup({ before = 300, after = 3 } = {}) {
  const dataDir = await mkdtemp(join(tmpdir(), 'petrel-view-'))
  const storage = createStorage({ dataDir, durability: 'relaxed' })
  onTestFinished(async () => {
    await storage.close()
    await rm(dataDir, { recursive: true })
  })
  const groupId = uuidv7()
  const stored = storage.database<Document>(nameGroupDatabase(groupId))
  const put = (...docs: Document[]) =>
    stored.update(
      docs.map(({ _id }) => _id),
      () => ({ put: docs, result: undefined }),
    )
  const write = (place: number): StoredGroupMessage => ({
    ...messageDocument.parse({
      _id: uuidv7(),
      ...{ peerId: groupId, senderId: ann, recipientId: groupId, content: `words ${place}` },
      ...{ createdAt: place, orderedAt: place, status: 'sent' },
    }),
    changedPlace: place,
  })
  const messages = Array.from({ length: before + after }, (_, at) => write(at + 1))
  const group: GroupDocument = {
    _id: groupId,
    ...{ name: 'Hikes', description: '', createdBy: ann, createdAt: 1, former: [] },
    settings: { whoWrites: 'all', whoChanges: 'all', showsHistory: false },
    members: [memberOf(ann, 0), memberOf(ben, before + 1)],
    lastPlace: before,
  }
  await put(...messages.slice(0, before))
  await put(group)
  for (const message of messages.slice(before)) await put(message)

  const read = async () => (await stored.read([groupId])).get(groupId) as GroupDocument | undefined
  const find = async () => joinGroup(await read(), { place: before + after })
  /** Ben's view, with what happens after each read, of which this many were done by then. */
  function open(onRead: (reads: number) => Promise<unknown> = async () => undefined) {
    const counted = { reads: 0, turns: 0 }
    const watched = new Proxy(stored, {
      get(target, name) {
        const member = Reflect.get(target, name, target)
        if (typeof member !== 'function') return member
        return async (...given: unknown[]) => {
          const found = await Reflect.apply(member, target, given)
          counted.reads += 1
          await onRead(counted.reads)
          return found
        }
      },
    })
    const view = createGroupView({
      stored: watched,
      group: { _id: groupId, find },
      ...{ userId: ben, times: 1 },
      turn(read) {
        counted.turns += 1
        return read()
      },
    })
    return { view, counted }
  }

  return {
    storage,
    groupId,
    find,
    open,
    /** What Ben may read, oldest first. */
    own: messages.slice(before).map(({ _id }) => _id),
    /** Ben is removed before any message from after he came. */
    async removeBen() {
      const group = must(await read(), 'the group')
      const members = group.members.filter(({ userId }) => userId !== ben)
      const from = before + 1
      const next: GroupDocument = { ...group, members, former: [{ userId: ben, from, to: from }] }
      await put(next)
    },
  }
}

describe('P12: what lies before somebody came', () => {
  test('is read a page in each turn, and each call of the changes says how far it is', async () => {
    const { open, own } = await openLongGroup()
    const { view, counted } = open()
    const places: Seq[] = []
    const ids: string[] = []
    for (let since: Seq = 0; ; ) {
      const page = await view.changes({ since, limit: 2 })
      const pages = places.length + 1
      expect(counted).toEqual({ reads: pages, turns: pages })
      ids.push(...page.results.map(({ id }) => id))
      expect(page.results.length).toBeLessThanOrEqual(2)
      if (page.isAtEnd) break
      expect(Number(page.last_seq)).toBeGreaterThan(Number(since))
      since = page.last_seq
      places.push(since)
    }
    expect(ids).toEqual(own)
    // A few turns for many: what shows nothing is read in larger pages.
    expect(counted.turns).toBeLessThan(20)
  })

  test('ends with the turn that its reader no longer waits for', async () => {
    const { open } = await openLongGroup()
    const { view, counted } = open(async (reads) => {
      if (reads === 2) throw new Error('Nobody waits.')
    })
    await expect(view.range({})).rejects.toThrow('Nobody waits.')
    expect(counted.turns).toBe(2)
  })

  test('a slow server answers with how far it is, and the next answer goes on from there', async () => {
    const { storage, groupId, find, own } = await openLongGroup()
    const clock = { ms: 0 }
    const counted = { turns: 0 }
    const answer = (since: Record<string, Seq>) =>
      answerGroupChanges({
        storage,
        groups: { find, listPlaces: async () => [{ groupId, times: 1, seq: 304 }] },
        ...{ userId: ben, since, limit: 50 },
        async turn(read) {
          // A page a second.
          clock.ms += 1_000
          counted.turns += 1
          return await read()
        },
        now: () => clock.ms,
      })
    const ids: string[] = []
    const since: Record<string, Seq> = {}
    for (;;) {
      const turns = counted.turns
      const [group] = (await answer(since)).groups
      if (!group) break
      // Where each group is, and two pages.
      expect(counted.turns - turns).toBeLessThanOrEqual(3)
      expect(group).toMatchObject({ isMember: true })
      expect(group.last_seq).not.toBe(since[groupId])
      ids.push(...group.results.map(({ doc }) => doc._id))
      since[groupId] = group.last_seq
    }
    expect(ids).toEqual(own)
    expect(since[groupId]).toBe('304-1')
  })
})

type View = ReturnType<typeof createGroupView>

test.each<[string, (view: View, asked: { id: string; rev: string }) => Promise<unknown>]>([
  ['range', (view) => view.range({})],
  ['listRevs', (view) => view.listRevs({})],
  ['changes', async (view) => (await view.changes({ since: 20 })).results],
  ['read', async (view, { id }) => [...(await view.read([id]))]],
  ['readRevision', (view, { id, rev }) => view.readRevision(id, { rev })],
  ['readOpenRevisions', (view, { id }) => view.readOpenRevisions(id, { openRevs: 'all' })],
  ['bulkGet', (view, { id, rev }) => view.bulkGet({ docs: [{ id, rev }] })],
  ['findMissingRevisions', (view, { id, rev }) => view.findMissingRevisions({ [id]: [rev] })],
])('P14: who is removed while they read reads nothing newer by %s', async (_name, call) => {
  const { open, own, removeBen } = await openLongGroup({ before: 20 })
  const all = await open().view.range({})
  expect(all.map(({ _id }) => _id)).toEqual(own)
  const { _id: id, _rev: rev } = must(all[0], 'a message')
  const member = await call(open().view, { id, rev })
  const racing = open(async (reads) => reads === 1 && (await removeBen())).view
  const found = await call(racing, { id, rev })
  expect(found).toEqual(await call(open().view, { id, rev }))
  expect(found).not.toEqual(member)
})
