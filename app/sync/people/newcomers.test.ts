import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { openTestLab } from '../../lab/open-test-lab.ts'
import { createNewcomers } from '../people.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] }))
afterEach(() => void vi.useRealTimers())

function start({ listed, fails = () => false }: { listed: string[]; fails?: () => boolean }) {
  const known = new Set<string>()
  const requests: number[] = []
  const newcomers = createNewcomers({
    userId: 'ann',
    isKnown: (id) => known.has(id),
    async refresh() {
      requests.push(Date.now())
      if (fails()) throw new Error('The server is away.')
      for (const id of listed) known.add(id)
    },
    now: Date.now,
    random: () => 0.5,
  })
  return { ...newcomers, requests, known }
}

test('somebody unknown who comes online is asked for soon, and whoever is known is not', async () => {
  const { meet, requests, known } = start({ listed: ['ben'] })
  meet(['ann'])
  await vi.advanceTimersByTimeAsync(60_000)
  expect(requests).toEqual([])
  meet(['ann', 'ben'])
  await vi.advanceTimersByTimeAsync(2_000)
  expect(requests).toHaveLength(1)
  expect(known).toContain('ben')
  meet(['ben'])
  await vi.advanceTimersByTimeAsync(60_000)
  expect(requests).toHaveLength(1)
})

test('a crowd that signs on costs a request in three seconds', async () => {
  const listed: string[] = []
  const { meet, requests, known } = start({ listed })
  for (let count = 0; count < 300; count += 1) {
    listed.push(`person ${count}`)
    meet([`person ${count}`])
    await vi.advanceTimersByTimeAsync(100)
  }
  await vi.advanceTimersByTimeAsync(60_000)
  expect(known.size).toBe(300)
  expect(requests.length).toBeLessThanOrEqual(11)
})

test('people missing from the list are asked for once each, and ever more seldom', async () => {
  const { meet, requests } = start({ listed: [] })
  for (let count = 0; count < 60; count += 1) {
    meet(['cyd'])
    await vi.advanceTimersByTimeAsync(1_000)
  }
  expect(requests).toHaveLength(1)
  for (let count = 0; count < 600; count += 1) {
    meet([`person ${count}`])
    await vi.advanceTimersByTimeAsync(1_000)
  }
  expect(requests.length).toBeLessThanOrEqual(10)
})

test('people a failing server did not bring are asked for when presence names them next', async () => {
  let isAway = true
  const { meet, requests, known } = start({ listed: ['ben'], fails: () => isAway })
  meet(['ben'])
  await vi.advanceTimersByTimeAsync(60_000)
  expect(requests).toHaveLength(1)
  isAway = false
  meet(['ben'])
  await vi.advanceTimersByTimeAsync(60_000)
  expect(known).toContain('ben')
})

test('opening the list again and again asks once in three seconds, and nothing is asked after the end', async () => {
  const { meet, refreshIfOld, close, requests } = start({ listed: [] })
  for (let count = 0; count < 10; count += 1) refreshIfOld()
  await vi.advanceTimersByTimeAsync(0)
  refreshIfOld()
  expect(requests).toHaveLength(1)
  await vi.advanceTimersByTimeAsync(3_000)
  refreshIfOld()
  expect(requests).toHaveLength(2)
  await vi.advanceTimersByTimeAsync(0)
  meet(['ben'])
  close()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(requests).toHaveLength(2)
})

test('somebody who registers stands in the list of an open device once they are online', async () => {
  vi.useRealTimers()
  const { lab, ann } = await openTestLab()
  const phone = await ann.device()
  await lab.settle()
  const names = () =>
    phone.messenger.users
      .list()
      .getSnapshot()
      .map((one) => one.username)
  await expect.poll(names).toEqual(['ben'])
  const zoe = await lab.person('zoe')
  await zoe.device()
  await expect.poll(names).toEqual(['ben', 'zoe'])
})

test('somebody who is not online stands in it once it is opened', async () => {
  vi.useRealTimers()
  const { lab, ann } = await openTestLab()
  const phone = await ann.device()
  await lab.settle()
  await lab.person('zoe')
  phone.messenger.users.refreshIfOld()
  const names = () =>
    phone.messenger.users
      .list()
      .getSnapshot()
      .map((one) => one.username)
  await expect.poll(names).toEqual(['ben', 'zoe'])
})
