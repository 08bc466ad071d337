import { expect, test } from 'vitest'
import { ben, openTestDatabase } from '../testing/open-test-database.ts'
import { createClearingMarks } from './clearing-marks.ts'

const ivy = '01900000-0000-7000-8000-00000000000c'

test('what was there when the files of its chat, or of all chats, were cleared is known by its place', async () => {
  const { context } = await openTestDatabase()
  const marks = createClearingMarks(context)
  const before = context.now()
  expect(await marks.isCovered({ peerId: ben, orderedAt: before })).toBe(false)
  await marks.record(ben)
  const between = context.now()
  expect(await marks.isCovered({ peerId: ben, orderedAt: before })).toBe(true)
  expect(await marks.isCovered({ peerId: ben, orderedAt: between })).toBe(false)
  expect(await marks.isCovered({ peerId: ivy, orderedAt: before })).toBe(false)
  await marks.record(undefined)
  expect(await marks.isCovered({ peerId: ben, orderedAt: between })).toBe(true)
  expect(await marks.isCovered({ peerId: ivy, orderedAt: between })).toBe(true)
  expect(await marks.isCovered({ peerId: ivy, orderedAt: context.now() })).toBe(false)
})
