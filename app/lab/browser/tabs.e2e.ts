import { afterAll, expect, test } from 'vitest'
import { readSession } from './account-steps.ts'
import { openChat, readTicks, readWords, say } from './chat-steps.ts'
import { startTwoPeople } from './start-two-people.ts'

const people = await startTwoPeople()
afterAll(() => people.close())

test('several tabs show one copy of everything, live, and any of them sends', async () => {
  const { ann, ben } = people
  const chat = `/chat/${(await readSession(ben)).userId}`
  await openChat(ann.page, 'ben')
  await say(ann.page, 'from the first tab')
  const second = await ann.openTab(chat)
  const third = await ann.openTab(chat)
  await expect.poll(() => readWords(third)).toEqual(['from the first tab'])

  await say(third, 'from the third tab')
  await openChat(ben.page, 'ann')
  await say(ben.page, 'from Ben')
  const everything = ['from the first tab', 'from the third tab', 'from Ben']
  for (const page of [ann.page, second, third, ben.page]) {
    await expect.poll(() => readWords(page)).toEqual(everything)
  }
  await expect.poll(() => readTicks(second, 'from the third tab')).toBe('Read')
})

test('sync goes on in the tab that is left when the one that synced is frozen or closed', async () => {
  const { ann, ben } = people
  const [first, second, third] = ann.profile.context.pages()
  if (!first || !second || !third) throw new Error('Three tabs are open by now.')
  await third.bringToFront()
  const session = await ann.profile.context.newCDPSession(third)
  await session.send('Page.setWebLifecycleState', { state: 'frozen' })
  await second.bringToFront()
  await say(second, 'the other tab is frozen')
  await expect.poll(() => readTicks(second, 'the other tab is frozen')).toBe('Read')

  await second.close()
  await first.bringToFront()
  await say(ben.page, 'the other tab is closed')
  await expect
    .poll(() => readWords(first).then((words) => words.at(-1)))
    .toBe('the other tab is closed')
})
