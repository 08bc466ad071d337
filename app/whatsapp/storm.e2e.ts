import { afterAll, expect, test } from 'vitest'
import { waitUntilKept } from '../lab/browser/account-steps.ts'
import { channelBar, linkAccount } from '../lab/browser/channel-steps.ts'
import { chatRow, readTicks, readWords, say } from '../lab/browser/chat-steps.ts'
import { ownWords } from '../lab/browser/message-steps.ts'
import { startOperator } from '../lab/browser/start-operator.ts'

const operator = await startOperator({
  keepsApp: true,
  hasOwnBrowser: true,
})
const { emulator, server, ann } = operator
/** The server's return goes unreported: the browser retries at most half a minute apart. */
const whenTriedAgain = { timeout: 60_000 }
/** Once its first attempts have failed, the emulator delivers half a minute later, then two minutes. */
const whenDeliveredAgain = { timeout: 150_000 }
afterAll(() => operator.close())

/** A customer whose webhooks all arrive twice. */
const twice = { from: '+15555550105', name: 'Tess Twice' }
/** A customer whose statuses arrive reversed: read, delivered, sent. */
const reversed = { from: '+15555550104', name: 'Rita Reverse' }

test('P1 P2: the network leaves, the server is killed, webhooks come twice and in any order: each message once, statuses only forward', async () => {
  const { page } = ann
  await linkAccount(page)
  emulator.inbound({ ...twice, content: 'Are you there?' })
  emulator.inbound({ ...reversed, content: 'Hello' })
  // A row that moves between press and release would lose the click.
  for (const { name } of [twice, reversed]) await chatRow(page, name).waitFor()
  await chatRow(page, reversed.name).click()
  await channelBar(page).waitFor()
  await say(page, 'backwards')
  await expect.poll(() => readTicks(page, 'backwards')).toBe('Read')

  await page.goto('/chat')
  await chatRow(page, twice.name).click()
  await channelBar(page).waitFor()
  await say(page, 'one')
  await expect.poll(() => readTicks(page, 'one')).toBe('Read')
  await ann.goOffline()
  await say(page, 'two')
  await server.kill()
  await say(page, 'three')
  // The server is down for these webhooks: the emulator delivers them again.
  emulator.inbound({ ...twice, content: 'Hello?' })
  await ann.goOnline()
  await server.start()
  await ownWords(page, 'Hello?').waitFor(whenDeliveredAgain)
  for (const words of ['two', 'three']) {
    await expect.poll(() => readTicks(page, words), whenTriedAgain).toBe('Read')
  }
  const sent = emulator.outbox().map((message) => JSON.stringify(message))
  for (const words of ['one', 'two', 'three', 'backwards']) {
    expect(sent.filter((text) => text.includes(`"${words}"`))).toHaveLength(1)
  }
  expect((await readWords(page)).sort()).toEqual([
    'Are you there?',
    'Hello?',
    'one',
    'three',
    'two',
  ])
})

test('P10: everything is readable without a network', async () => {
  await waitUntilKept(ann)
  await ann.goOffline()
  await ann.restartBrowser()
  await ann.goOffline()
  const { page } = ann
  await page.goto('/chat')
  await chatRow(page, twice.name).click()
  await channelBar(page).getByText('You can reply freely').waitFor()
  await channelBar(page).getByText('Sandbox').waitFor()
  await ownWords(page, 'Hello?').getByRole('img', { name: 'WhatsApp' }).waitFor()
  await expect.poll(() => readTicks(page, 'three')).toBe('Read')
})
