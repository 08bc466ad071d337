import { IDBFactory, IDBKeyRange } from 'fake-indexeddb'
import { expect, onTestFinished, test } from 'vitest'
import { createDeferred } from '../../../schema/helpers/deferred.ts'
import { ApiError } from '../../api/api-error.ts'
import { openDeviceStore } from '../../database/storage/open-device-store.ts'
import { testUser } from '../../database/testing/test-user.ts'
import { createKnownPeople } from './known-people.ts'

const never = testUser({ _id: 'ben', username: 'ben' })

const self = testUser({ _id: 'ann', username: 'ann' })

const gone = new ApiError({ status: 404, code: 'user_not_found', words: 'User not found' })

async function start() {
  const clock = { now: 0 }
  const server = {
    ben: never,
    isAway: false,
    isDeleted: false,
    requests: 0,
    asked: [] as string[],
    /** What an answer waits for, once it is made. */
    onTheWay: Promise.resolve(),
  }
  async function answer<T>(give: () => T): Promise<T> {
    server.requests += 1
    if (server.isAway) throw new Error('No network.')
    if (server.isDeleted) throw gone
    const [given, { onTheWay }] = [give(), server]
    await onTheWay
    return given
  }
  const store = await openDeviceStore({ name: 'ann', indexedDB: new IDBFactory(), IDBKeyRange })
  const open = async () => {
    const people = await createKnownPeople({
      table: store.people,
      ownId: 'ann',
      source: {
        get(userId) {
          server.asked.push(userId)
          return answer(() => (userId === 'ann' ? self : server.ben))
        },
        list: () => answer(() => [server.ben]),
        search: () => answer(() => []),
        listBlocked: () => answer(() => []),
      },
      isGroup: (userId) => userId === 'walks',
      isMet: () => true,
      onRecords: () => {},
      onPictureGone: () => {},
      random: () => 0.5,
      now: () => clock.now,
      onError: () => {},
    })
    onTestFinished(people.close)
    return people
  }
  const people = await open()
  onTestFinished(() => store.close())
  await people.refresh()
  server.requests = 0
  return { server, clock, people, open, ben: () => people.get('ben').getSnapshot() }
}

test("a group's id is nobody's, and asked for by nobody", async () => {
  const { server, people } = await start()
  expect(people.get('walks').getSnapshot()).toBeUndefined()
  // Questions are asked one after the other: one about the group would come first.
  people.get('carl')
  await expect.poll(() => server.asked).toEqual(['carl'])
  await people.refresh()
  await expect.poll(() => server.asked).toEqual(['carl', 'carl'])
})

test('whose own record was read for its keys is nobody to write to', async () => {
  const { people } = await start()
  await people.load('ann')
  await people.refresh()
  expect(people.list().getSnapshot()).toEqual([never])
})

test('a new name is known once a chat is opened, and asked for once a minute', async () => {
  const { server, clock, people, ben } = await start()
  server.ben = { ...never, username: 'Benjamin' }
  people.loadIfOld('ben')
  await expect.poll(() => ben()?.username).toBe('Benjamin')
  server.ben = { ...never, username: 'Benny' }
  clock.now += 59_999
  people.loadIfOld('ben')
  expect(server.requests).toBe(1)
  clock.now += 1
  people.loadIfOld('ben')
  await expect.poll(() => ben()?.username).toBe('Benny')
})

test('what a list says that was asked for before a record, and comes after it, leaves the new name', async () => {
  const { server, people, ben } = await start()
  const late = createDeferred<void>()
  server.onTheWay = late.promise
  const reading = people.refresh()
  Object.assign(server, { onTheWay: Promise.resolve(), ben: { ...never, username: 'Benjamin' } })
  await people.load('ben')
  late.resolve()
  await reading
  expect(ben()?.username).toBe('Benjamin')
  server.ben = { ...never, username: 'Benny' }
  await people.refresh()
  expect(ben()?.username).toBe('Benny')
})

test('a failure leaves the record, says nothing, and the next opening asks', async () => {
  const { server, people, ben } = await start()
  server.isAway = true
  people.loadIfOld('ben')
  await expect.poll(() => server.requests).toBe(1)
  expect([ben()?.username, people.problem.getSnapshot()]).toEqual(['ben', undefined])
  Object.assign(server, { isAway: false, ben: { ...never, username: 'Benjamin' } })
  people.loadIfOld('ben')
  await expect.poll(() => ben()?.username).toBe('Benjamin')
})

test('nobody unknown and nobody deleted is asked for when a chat is opened', async () => {
  const { server, people } = await start()
  people.loadIfOld('cyd')
  expect(server.requests).toBe(0)
})

test('whose account is deleted is not read again when presence says that they are gone', async () => {
  const { server, people, ben } = await start()
  people.get('ben')
  server.isDeleted = true
  people.readAgain(['ben'])
  await expect.poll(() => ben()?.isDeleted).toBe(true)
  people.readAgain(['ben'])
  expect(server.requests).toBe(1)
})

test('who is found to be deleted while a question about them waits is not asked for once more', async () => {
  const { server, people } = await start()
  server.isDeleted = true
  const refreshing = people.refresh()
  const cyd = people.get('cyd')
  await expect(people.load('cyd')).rejects.toThrow('User not found')
  expect(cyd.getSnapshot()?.isDeleted).toBe(true)
  await expect(refreshing).rejects.toThrow()
  const dan = people.get('dan')
  await expect.poll(() => dan.getSnapshot()?.isDeleted).toBe(true)
  expect(server.requests).toBe(3)
})

const moment = '2026-03-04T12:00:00.000Z'
const yesterday = '2026-03-03T12:00:00.000Z'

test('the moment at which somebody was last known online is kept over a reload', async () => {
  const { server, people, open } = await start()
  server.ben = { ...never, isOnline: true, lastSeen: yesterday }
  await people.load('ben')
  people.recordLost(['ben', 'cyd'], moment)
  expect(people.get('ben').getSnapshot()).toMatchObject({ isOnline: false, lastSeen: moment })
  const later = async () => (await open()).get('ben').getSnapshot()
  await expect.poll(later).toMatchObject({ isOnline: false, lastSeen: moment })
})

test('where the server gave no time none is kept, and what it says later counts', async () => {
  const { server, people, open, ben } = await start()
  people.recordLost(['ben'], moment)
  const later = async () => (await open()).get('ben').getSnapshot()
  await expect.poll(later).toMatchObject({ isOnline: true, lastSeen: null })
  server.ben = { ...never, lastSeen: yesterday }
  people.loadIfOld('ben')
  await expect.poll(ben).toEqual(server.ben)
})

test('that somebody on the screen is online is kept, in case the page ends before the connection', async () => {
  const { people, open } = await start()
  people.recordOnline(['ben'])
  expect((await open()).get('ben').getSnapshot()?.isOnline).toBe(false)
  people.get('ben')
  people.recordOnline(['ben'])
  const later = async () => (await open()).get('ben').getSnapshot()?.isOnline
  await expect.poll(later).toBe(true)
})
