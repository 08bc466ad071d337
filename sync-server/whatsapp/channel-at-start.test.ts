import { readFileSync } from 'node:fs'
import { afterEach, expect, test } from 'vitest'
import { createLog } from '../lib/log.ts'
import { openTestEmulator } from '../testing/open-test-emulator.ts'
import { startTestApp } from '../testing/start-test-app.ts'
import { settingsForEmulator } from '../tools/whatsapp-emulator/settings-for-emulator.ts'
import { emulatorAccount } from '../tools/whatsapp-emulator/state/emulator-config.ts'

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const one of open.splice(0)) await one.close()
})

async function start(env: Record<string, string>) {
  const { emulator, close } = await openTestEmulator()
  open.unshift({ close })
  const lines: string[] = []
  const log = createLog('error', { write: (line) => lines.push(line) })
  const app = await startTestApp(
    {
      ...settingsForEmulator(emulator),
      ...env,
    },
    { log },
  )
  open.unshift(app)
  return { lines, app, emulator }
}

test('a token that WhatsApp does not take is told at the start, and everything else goes on', async () => {
  const { lines, app } = await start({ WHATSAPP_ACCESS_TOKEN: 'a-token-that-ran-out' })
  await expect.poll(() => lines.join()).toMatch(/WhatsApp does not accept WHATSAPP_ACCESS_TOKEN/)
  expect(lines.join()).not.toMatch(/a-token-that-ran-out/)
  expect(lines.join()).not.toContain(emulatorAccount.appSecret)
  expect((await app.call('GET', '/readyz')).status).toBe(200)
  await app.register('Ann')
})

test('what comes for nobody goes to the inbox that is set, and a wrong one is told at the start', async () => {
  const { lines, app, emulator } = await start({ WHATSAPP_INBOX_USER_ID: 'nobody' })
  await expect.poll(() => lines.join()).toMatch(/WHATSAPP_INBOX_USER_ID names no account/)
  const ann = await app.register('Ann')
  app.settings.whatsApp = app.settings.whatsApp && {
    ...app.settings.whatsApp,
    inboxUserId: ann.userId,
  }
  await app.restart()
  await emulator.configure({ webhookUrl: `${app.url}/api/webhooks/whatsapp` })
  emulator.inbound({ from: '15555550100', content: 'Anybody there?' })
  await emulator.advance(0)
  const read = async () => {
    const path = '/sync/messages/_all_docs?include_docs=true'
    const { body } = await app.call('GET', path, { token: ann.token })
    return body.rows.map(({ doc }: { doc: { content: string } }) => doc.content)
  }
  await expect.poll(read).toEqual(['Anybody there?'])
})

test('webhooks come in without a sign-in, are kept, counted and answered, and only what is signed', async () => {
  const { lines, app, emulator } = await start({})
  const place = '/api/webhooks/whatsapp'
  expect(await emulator.configure({ webhookUrl: `${app.url}${place}` })).toBe(true)
  emulator.inbound({ from: '15555550100', content: 'Hello 🌵' })
  await emulator.advance(0)
  expect(emulator.deliveries()[0]).toMatchObject({ state: 'delivered' })
  const read = async (name: string) => {
    const { text } = await app.call('GET', '/metrics')
    return Number(new RegExp(`^${name} (.+)$`, 'm').exec(text)?.[1])
  }
  await expect.poll(() => read('petrel_webhooks_processed_total')).toBe(1)
  emulator.redeliver(1)
  await emulator.configure({ signature: 'wrong' })
  await emulator.advance(0)
  emulator.inbound({ from: '15555550100', content: 'Not signed' })
  await emulator.advance(0)
  expect(await read('petrel_webhook_signatures_invalid_total')).toBeGreaterThan(0)
  expect(lines.join()).toMatch(/is WHATSAPP_APP_SECRET right/)
  expect(lines.join()).not.toMatch(/Hello|Not signed/)
  const large = await app.call('POST', place, { text: ' '.repeat(5 * 1024 * 1024) })
  expect(large.status).toBe(413)
  const { text } = await app.call(
    'GET',
    `${place}?hub.mode=subscribe&hub.challenge=7&hub.verify_token=no`,
  )
  expect(text).toBe('{"error":"The verify token does not fit","code":"wrong_verify_token"}')
})

test('without the channel its calls and webhooks say that it is not configured', async () => {
  const app = await startTestApp()
  open.unshift(app)
  const notConfigured = {
    error: 'WhatsApp channel is not configured',
    code: 'whatsapp_not_configured',
  }
  const webhook = await app.call('POST', '/api/webhooks/whatsapp', { text: '{}' })
  expect([webhook.status, webhook.body]).toEqual([503, notConfigured])
  const { token } = await app.register('Ann')
  for (const [method, path, body] of [
    ['GET', '/webhooks/templates'],
    ['GET', '/webhooks/stats'],
    ['POST', '/webhooks/send', { to: '15555550100', message: 'Hello' }],
    ['POST', '/users/contacts', { phone_number: '15555550100' }],
  ] as const) {
    const answer = await app.call(method, `/api${path}`, { token, body })
    expect([path, answer.status, answer.body]).toEqual([path, 503, notConfigured])
  }
  const own = await app.call('GET', '/api/users/me', { token })
  expect(own.body).toMatchObject({ whatsapp_channel: 'off' })
  const channel = await app.call('GET', '/api/users/me/whatsapp', { token })
  expect(channel.body).toMatchObject({ isOn: false, isSandbox: false })
})

test("each figure of Grafana's dashboard is one of /metrics, the channel's too", async () => {
  const { app } = await start({})
  const { text } = await app.call('GET', '/metrics')
  const given = new Set([...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name))
  const dashboard: { panels: { targets?: { expr: string }[] }[] } = JSON.parse(
    readFileSync(new URL('../../.deploy/grafana.json', import.meta.url), 'utf8'),
  )
  const asked = dashboard.panels
    .flatMap(({ targets = [] }) => targets)
    .flatMap(({ expr }) => expr.match(/\b(?:petrel|process|nodejs)_\w+/g) ?? [])
    .map((name) =>
      name
        .replace(/_seconds_(?:bucket|count)$/, '_seconds')
        .replace(/_documents_sum$/, '_documents'),
    )
  expect(asked.length).toBeGreaterThan(20)
  expect(asked.filter((name) => !given.has(name))).toEqual([])
})
