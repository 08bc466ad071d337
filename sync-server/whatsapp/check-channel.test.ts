import { afterEach, expect, test } from 'vitest'
import { openTestChannel } from '../testing/open-test-channel.ts'
import { checkChannel } from './channel.ts'

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const one of open.splice(0)) await one.close()
})

async function openChannel(env: Record<string, string> = {}) {
  const channel = await openTestChannel({ env })
  open.push(channel)
  return channel
}

test('a channel that is set right has nothing to say', async () => {
  expect(await checkChannel(await openChannel())).toEqual([])
})

test('the check costs two calls, however many templates the account has', async () => {
  const { client, settings } = await openChannel()
  const called: string[] = []
  const call: typeof client.call = async (request) => {
    called.push(request.path)
    return await client.call(request)
  }
  await checkChannel({ client: { ...client, call }, settings })
  expect(called).toHaveLength(2)
})

test.each([
  [{ WHATSAPP_ACCESS_TOKEN: 'another' }, /^WhatsApp does not accept WHATSAPP_ACCESS_TOKEN/],
  [{ WHATSAPP_PHONE_NUMBER_ID: '99999999' }, /^WHATSAPP_PHONE_NUMBER_ID is nothing that/],
  [{ WHATSAPP_BUSINESS_ACCOUNT_ID: '99999999' }, /^WHATSAPP_BUSINESS_ACCOUNT_ID is nothing that/],
  [{ WHATSAPP_DISPLAY_PHONE_NUMBER: '15550783882' }, /^WHATSAPP_DISPLAY_PHONE_NUMBER is not/],
])('%j is told in one sentence', async (env, words) => {
  const faults = await checkChannel(await openChannel(env))
  expect(faults).toEqual([expect.stringMatching(words)])
  expect(faults.join()).not.toContain('another')
})

test('a number that is not registered, and a WhatsApp that is not there, are told', async () => {
  const channel = await openChannel()
  const { call, emulator } = channel
  await call('POST', `/v25.0/${emulator.account.numberId}/deregister`)
  expect(await checkChannel(channel)).toEqual([expect.stringMatching(/says PENDING/)])
  await emulator.close()
  expect(await checkChannel(channel)).toEqual([expect.stringMatching(/^WhatsApp is not reachable/)])
})
