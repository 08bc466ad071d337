import { afterAll, expect, test } from 'vitest'
import { countFrames, message, openChat, readTicks, say } from './chat-steps.ts'
import { startTwoPeople } from './start-two-people.ts'

const people = await startTwoPeople()
afterAll(() => people.close())

/** Requests of Ann's browser that wait for news. */
const waiting: string[] = []

/** Both write, and each sees that the other has read it. */
async function exchange(text: string) {
  const { ann, ben } = people
  await say(ben.page, `${text} from Ben`)
  await message(ann.page, `${text} from Ben`).waitFor()
  await say(ann.page, `${text} from Ann`)
  await expect.poll(() => readTicks(ann.page, `${text} from Ann`)).toBe('Read')
  await expect.poll(() => readTicks(ben.page, `${text} from Ben`)).toBe('Read')
}

test('P9: while its socket is open a device waits in no request, and hears of everything', async () => {
  const { ann, ben } = people
  const readHeard = countFrames(ann.page)
  await ann.page.reload()
  await openChat(ann.page, 'ben')
  await openChat(ben.page, 'ann')
  // On a busy machine the socket may open later than both exchanges take.
  await expect.poll(readHeard).toBeGreaterThan(0)
  // Polls from before the socket end with the first news.
  await exchange('first')
  await exchange('second')
  ann.page.on('request', (request) => {
    if (request.url().includes('feed=longpoll')) waiting.push(request.url())
  })
  for (const text of ['third', 'fourth', 'fifth']) await exchange(text)
  expect(waiting).toEqual([])
})

test('P7: with its socket blocked it waits in requests, until the socket is back', async () => {
  const { ann } = people
  ann.network.blockSockets()
  await expect.poll(() => waiting.length).toBeGreaterThan(0)
  await exchange('by requests')
  ann.network.allowSockets()
  await exchange('by either')
})
