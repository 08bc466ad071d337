import { expect, test } from 'vitest'
import { openTestChannel } from '../../testing/open-test-channel.ts'
import { createTemplates } from './template-creation.ts'

test('what is missing in an account is created once, and waited for', async () => {
  const opened = await openTestChannel()
  const { client, settings, emulator, call } = opened
  const { businessAccountId } = settings
  try {
    const remove = `/v25.0/${businessAccountId}/message_templates?name=order_confirmation`
    expect((await call('DELETE', remove)).status).toBe(200)
    const run = () =>
      createTemplates({
        client,
        businessAccountId,
        waitMaxMs: 60_000,
        sleep: (ms) => emulator.advance(ms),
      })
    expect(await run()).toEqual([
      { name: 'hello_world', outcome: 'there', status: 'APPROVED' },
      { name: 'order_confirmation', outcome: 'created', status: 'APPROVED' },
      { name: 'message_from_us', outcome: 'there', status: 'APPROVED' },
    ])
    expect((await run()).map(({ outcome }) => outcome)).toEqual(['there', 'there', 'there'])
  } finally {
    await opened.close()
  }
})
