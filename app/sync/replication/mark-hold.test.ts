import { expect, test } from 'vitest'
import { newConversation } from '../../../schema/conversation.ts'
import { openTestLab } from '../../lab/open-test-lab.ts'
import { createMarkHold } from './mark-hold.ts'

const stored = newConversation('01890000-0000-7000-8000-000000000001')

/** The pushed documents, in order. */
function openHold() {
  const hold = createMarkHold()
  const stop = new AbortController()
  const left: string[] = []
  async function leave(name: string, change: Partial<typeof stored>, isNew = false) {
    const row = {
      newDocumentState: { ...stored, ...change, _deleted: false },
      ...(!isNew && { assumedMasterState: { ...stored, _deleted: false } }),
    }
    await hold.untilFree([row], stop.signal).then(
      () => left.push(name),
      () => left.push(`${name}, too late`),
    )
  }
  return { hold, stop, left, leave }
}

test('marks wait for the catch-up that is under way, and what somebody did does not', async () => {
  const { hold, left, leave } = openHold()
  await leave('early', { readUpTo: 1 })
  hold.setCatchingUp(true)
  const mark = leave('mark', { readUpTo: 2, deliveredUpTo: 2, lastMessageAt: 2 })
  await leave('pinned', { readUpTo: 2, isPinned: true, isPinnedAt: 2 })
  await leave('cleared', { clearedUpTo: 2 })
  await leave('new', { readUpTo: 2 }, true)
  expect(left).toEqual(['early', 'pinned', 'cleared', 'new'])
  hold.setCatchingUp(false)
  await mark
  expect(left.at(-1)).toBe('mark')
})

test('a mark that waits ends with its replication', async () => {
  const { hold, stop, left, leave } = openHold()
  hold.setCatchingUp(true)
  const mark = leave('mark', { readUpTo: 2 })
  stop.abort(new Error('The replication has ended.'))
  await mark
  expect(left).toEqual(['mark, too late'])
})

test('marks for messages read during a catch-up are sent when it ends', async () => {
  const { lab, ann, ben } = await openTestLab()
  const [phone, tablet] = [await ann.device(), await ben.device()]
  await phone.say(ben, 'before')
  await lab.settle()
  tablet.network.goOffline()
  await phone.say(ben, 'meanwhile')
  await lab.settle()
  const letCatchUp = tablet.network.holdPulls()
  const before = tablet.network.listRequests().length
  tablet.network.goOnline()
  await tablet.messenger.commands.markRead(ann.userId)
  const id = await tablet.say(ann, 'on my way')
  await expect.poll(async () => (await phone.stored()).messages.get(id)?.content).toBe('on my way')
  const countMarks = () =>
    tablet.network
      .listRequests()
      .slice(before)
      .filter((line) => line.includes('/sync/conversations/_bulk_docs')).length
  expect(countMarks()).toBe(0)
  letCatchUp()
  await lab.settle()
  expect(countMarks()).toBeGreaterThan(0)
  await lab.expectConverged()
})
