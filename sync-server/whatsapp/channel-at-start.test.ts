import { afterEach, expect, test } from 'vitest'
import { createLog } from '../create-log.ts'
import { startTestApp } from '../start-test-app.ts'
import { emulatorAccount } from './emulator/emulator-config.ts'
import { openTestEmulator } from './emulator/open-test-emulator.ts'

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const one of open.splice(0)) await one.close()
})

async function start(env: Record<string, string>) {
  const { emulator, close } = await openTestEmulator()
  open.push({ close })
  const lines: string[] = []
  const log = createLog('error', { write: (line) => lines.push(line) })
  const { account } = emulator
  const app = await startTestApp(
    {
      WHATSAPP_ENABLED: 'true',
      WHATSAPP_GRAPH_BASE_URL: emulator.url,
      WHATSAPP_ACCESS_TOKEN: account.accessToken,
      WHATSAPP_PHONE_NUMBER_ID: account.numberId,
      WHATSAPP_BUSINESS_ACCOUNT_ID: account.businessAccountId,
      WHATSAPP_APP_SECRET: account.appSecret,
      WHATSAPP_VERIFY_TOKEN: account.verifyToken,
      ...env,
    },
    { log },
  )
  open.push(app)
  return { lines, app }
}

test('a token that WhatsApp does not take is told at the start, and everything else goes on', async () => {
  const { lines, app } = await start({ WHATSAPP_ACCESS_TOKEN: 'a-token-that-ran-out' })
  await expect.poll(() => lines.join()).toMatch(/WhatsApp does not accept WHATSAPP_ACCESS_TOKEN/)
  expect(lines.join()).not.toMatch(/a-token-that-ran-out/)
  expect(lines.join()).not.toContain(emulatorAccount.appSecret)
  expect((await app.call('GET', '/readyz')).status).toBe(200)
  await app.register('Ann')
})
