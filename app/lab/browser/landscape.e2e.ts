import { afterAll, expect, test } from 'vitest'
import { pushMessages, registerAccount } from '../server/server-accounts.ts'
import { readSession, registerPerson } from './account-steps.ts'
import { chatRow } from './chat-steps.ts'
import { createPerson } from './person.ts'
import { startBuiltServer } from './start-built-server.ts'

const server = await startBuiltServer()
const ann = await createPerson(server, 'ann', {
  hasTouch: true,
  isMobile: true,
  viewport: { width: 740, height: 360 },
})
const { page } = ann
const names = ['ben', 'carl', 'dora', 'emil', 'farah', 'greta', 'hugo', 'ines']

afterAll(async () => {
  await ann.close()
  await server.close()
})

test('on a phone that lies on its side, what stands above the list goes while it is scrolled', async () => {
  await registerPerson(ann)
  const recipientId = (await readSession(ann)).userId
  for (const name of names) {
    const author = await registerAccount(server.origin, name)
    await pushMessages({ origin: server.origin, author, recipientId, count: 1 })
  }
  const list = page.getByRole('list', { name: 'Conversations' })
  await chatRow(page, 'ines').waitFor()
  const search = page.getByRole('searchbox')
  await expect.poll(() => search.isVisible()).toBe(true)
  const scrollTo = (top: number) =>
    list.evaluate((element, to) => element.parentElement?.scrollTo({ top: to }), top)
  await scrollTo(60)
  await search.waitFor({ state: 'hidden' })
  await expect.poll(countWhole).toBeGreaterThanOrEqual(4)
  await scrollTo(0)
  await search.waitFor({ state: 'visible' })

  /** How many chats are wholly visible. */
  async function countWhole(): Promise<number> {
    return list
      .getByRole('link')
      .evaluateAll(
        (links) =>
          links
            .map((link) => link.getBoundingClientRect())
            .filter(({ top, bottom }) => top >= 0 && bottom <= innerHeight).length,
      )
  }
})
