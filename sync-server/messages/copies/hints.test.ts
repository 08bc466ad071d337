import { afterEach, beforeEach, expect, test } from 'vitest'
import { openTestAcceptance, type TestAcceptance } from '../../testing/open-test-acceptance.ts'
import { createHints } from './hints.ts'

const opened = {} as { t: TestAcceptance }
beforeEach(async () => {
  opened.t = await openTestAcceptance()
})
afterEach(() => opened.t.close())

test('P3: what is hinted while a hint is replayed stays, also where it says the same', async () => {
  const { storage, ann: authorId, ben: readerId } = opened.t
  const hints = createHints({ storage, onAdded: () => undefined })
  const readAll = () => hints.list({ after: undefined, limit: 10 })
  const receipts = { authorId, readerId, deliveredUpTo: 5, readUpTo: 3 }
  await hints.addReceipts(receipts)
  const replayed = await readAll()
  await hints.addReceipts(receipts)
  await hints.remove(replayed)
  expect(await readAll()).toMatchObject([receipts])
  await hints.addReceipts({ ...receipts, deliveredUpTo: 4, readUpTo: 4 })
  const risen = await readAll()
  expect(risen).toMatchObject([{ deliveredUpTo: 5, readUpTo: 4 }])
  await hints.remove(risen)
  expect(await readAll()).toEqual([])
})
