import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { ClientEvent } from '../../../schema/api/socket-events.ts'
import { limits } from '../../../schema/limits.ts'
import { createWatchedPeople } from '../realtime.ts'

beforeEach(
  () => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] }),
)
afterEach(() => void vi.useRealTimers())

function start() {
  const sent: ClientEvent[] = []
  const watched = createWatchedPeople({ send: (event) => sent.push(event) > 0 })
  const lists = () =>
    sent.map((one) => (one.event === 'watch-people' ? one.data.userIds : [`not ${one.event}`]))
  return { ...watched, lists }
}

test('a server that tells of everybody, as those before it did, hears nothing', () => {
  const { watch, handle, lists } = start()
  watch('ben')
  handle({ event: 'users-online', data: [] })
  handle({ event: 'presence-scope', data: 'everybody' })
  vi.advanceTimersByTime(10_000)
  expect(lists()).toEqual([])
  expect(vi.getTimerCount()).toBe(0)
})

test('one that tells of some hears who is shown, together and once', () => {
  const { watch, handle, lists } = start()
  watch('ben')
  handle({ event: 'presence-scope', data: 'some' })
  watch('cyd')
  const endBens = watch('ben')
  vi.advanceTimersByTime(10_000)
  expect(lists().map((list) => list.toSorted())).toEqual([['ben', 'cyd']])
  endBens()
  vi.advanceTimersByTime(10_000)
  expect(lists()).toHaveLength(1)
  expect(vi.getTimerCount()).toBe(0)
})

test('a clock that is set back does not keep the server waiting', () => {
  const { watch, handle, lists } = start()
  handle({ event: 'presence-scope', data: 'some' })
  watch('ben')
  vi.advanceTimersByTime(1_000)
  vi.setSystemTime(Date.now() - 60 * 60 * 1000)
  watch('cyd')
  vi.advanceTimersByTime(1_000)
  expect(lists()).toEqual([['ben'], ['ben', 'cyd']])
})

test('people no longer shown are not watched, and scrolling reports at most twice a second', () => {
  const { watch, handle, lists } = start()
  handle({ event: 'presence-scope', data: 'some' })
  for (let row = 0; row < 20; row += 1) {
    const end = watch(`person ${row}`)
    vi.advanceTimersByTime(100)
    end()
  }
  vi.advanceTimersByTime(10_000)
  expect(lists().length).toBeLessThanOrEqual(6)
  expect(lists().at(-1)).toEqual([])
})

test('of more people than the server accepts, it reports those shown last', () => {
  const { watch, handle, lists } = start()
  handle({ event: 'presence-scope', data: 'some' })
  for (let row = 0; row <= limits.watchedPeopleMax; row += 1) watch(`person ${row}`)
  vi.advanceTimersByTime(1_000)
  expect(lists()[0]).toHaveLength(limits.watchedPeopleMax)
  expect(lists()[0]).not.toContain('person 0')
})

test('a new connection gets the list again, once the server limits presence to some people', () => {
  const { watch, handle, forget, lists } = start()
  watch('ben')
  handle({ event: 'presence-scope', data: 'some' })
  vi.advanceTimersByTime(1_000)
  forget()
  watch('cyd')
  vi.advanceTimersByTime(1_000)
  expect(lists()).toHaveLength(1)
  handle({ event: 'presence-scope', data: 'some' })
  vi.advanceTimersByTime(1_000)
  expect(lists().at(-1)).toEqual(['ben', 'cyd'])
})
