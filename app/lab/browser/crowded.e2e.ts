import { afterAll, expect, test } from 'vitest'
import { must } from '../../../schema/helpers/assertions.ts'
import { limits } from '../../../schema/limits.ts'
import { openTestSocket } from '../../../sync-server/testing/open-test-socket.ts'
import { createCheapAccounts } from '../bench/load/cheap-accounts.ts'
import { createSocketCrowd } from '../bench/load/socket-crowd.ts'
import { registerPerson } from './account-steps.ts'
import { openChat, readPresence } from './chat-steps.ts'
import { createPerson } from './person.ts'
import { startBuiltServer } from './start-built-server.ts'

/** More than the number up to which the server sends everyone's presence. */
const crowdSize = limits.usersOnlineMax + 1

const server = await startBuiltServer()
await server.kill()
const accounts = await createCheapAccounts(server.dataDir, crowdSize + 1)
await server.start()
const crowd = createSocketCrowd(crowdSize)
await crowd.connect(
  server.origin,
  accounts.slice(0, crowdSize).map(({ token }) => token),
)
const ann = await createPerson(server, 'ann')
await registerPerson(ann)
afterAll(async () => {
  await ann.close()
  await crowd.close()
  await server.close()
})

test('with a crowd online, who is shown in the list is shown as online there', async () => {
  const people = ann.page.getByRole('region', { name: 'People' })
  await people.getByRole('link').filter({ hasText: 'online' }).first().waitFor()
})

test('and the open chat tells of its person, who comes and goes', async () => {
  const { token } = must(accounts[crowdSize], 'the person who is not there')
  const whenGraceIsOver = { timeout: limits.presenceGraceMs + 20_000 }
  await openChat(ann.page, `person${crowdSize}`)
  // Never there yet.
  await expect.poll(() => readPresence(ann.page)).toBe('')
  const { socket } = await openTestSocket({ url: server.origin, token })
  await expect.poll(() => readPresence(ann.page)).toBe('online')
  socket.close()
  await expect.poll(() => readPresence(ann.page), whenGraceIsOver).toBe('last seen just now')
  expect(ann.problems).toEqual([])
})
