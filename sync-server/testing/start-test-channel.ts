import type { AppOverrides } from '../app-overrides.ts'
import { type EmulatorOptions, startEmulator } from '../tools/whatsapp-emulator/emulator.ts'
import { settingsForEmulator } from '../tools/whatsapp-emulator/settings-for-emulator.ts'
import type { ChannelClock } from '../whatsapp/client/channel-clock.ts'
import { startTestApp, type TestPerson } from './start-test-app.ts'

export type TestChannel = Awaited<ReturnType<typeof startTestChannel>>

/**
 * For tests: the real app, its channel connected over HTTP both ways to an emulator in this
 * process. Both clocks only move by `advance`, unless the clock is `running`.
 */
export async function startTestChannel(
  options: {
    env?: Record<string, string>
    overrides?: AppOverrides
    emulator?: EmulatorOptions
  } = {},
) {
  const { env, overrides } = options
  const emulator = await startEmulator({
    port: 0,
    clock: 'manual',
    startAt: Date.now(),
    ...options.emulator,
  })
  const { account } = emulator
  const clock = createTestClock(emulator)
  const isRunning = options.emulator?.clock === 'running'
  const app = await startTestApp(
    {
      ...settingsForEmulator(emulator),
      ...env,
    },
    {
      ...(isRunning ? {} : { channelClock: clock }),
      webhookRetryWaitsMs: [0, 0, 0],
      ...overrides,
    },
  )
  const listen = async () => {
    const webhookUrl = `${app.url}/api/webhooks/whatsapp`
    if (!(await emulator.configure({ webhookUrl }))) throw new Error('no handshake')
  }
  await listen()

  const as = (person: TestPerson) => {
    const call = (method: string) => (path: string, body?: unknown) =>
      app.call(method, `/api${path}`, { token: person.token, body })
    return { get: call('GET'), put: call('PUT'), post: call('POST'), remove: call('DELETE') }
  }
  const number = { wa_id: '15550783881', phone_number: '15550783881' }

  return {
    app,
    emulator,
    as,
    listen,
    register: app.register,
    /** Makes a person the operator of the business number. */
    async link(person: TestPerson, more: Record<string, unknown> = {}) {
      const body = { ...number, phone_number_id: account.numberId, ...more }
      return await as(person).post('/users/link-whatsapp', body)
    },
    /** Advances both clocks, and ends when the emulator has sent everything due. */
    advance: clock.advance,
    /** How many webhooks were answered and are not processed yet. */
    async countUnprocessed() {
      const { text } = await app.call('GET', '/metrics')
      return Number(/^petrel_webhooks_pending (\d+)$/m.exec(text)?.[1])
    },
    /** Everything in one of a person's own databases. */
    async read(person: TestPerson, database: 'messages' | 'conversations') {
      const { body } = await app.call('GET', `/sync/${database}/_all_docs?include_docs=true`, {
        token: person.token,
      })
      // Tests inspect documents whose shape is under test.
      return body.rows.map(({ doc }: { doc: unknown }) => doc)
    },
    /** Pushes a document as a device does. */
    async push(person: TestPerson, doc: Record<string, unknown>) {
      const body = { docs: [doc] }
      const answer = await app.call('POST', '/sync/messages/_bulk_docs', {
        token: person.token,
        body,
      })
      return answer.body[0]
    },
    async restart() {
      await app.restart()
      await listen()
    },
    async killAndStart() {
      await app.killAndStart()
      await listen()
    },
    async close() {
      await app.close()
      await emulator.close()
    },
  }
}

/** A clock that only moves by `advance`, which moves the emulator's too. */
export function createTestClock(emulator: {
  now(): number
  advance(ms: number): Promise<void>
}): ChannelClock & { advance(ms: number): Promise<void> } {
  const due = new Set<{ at: number; run: () => void }>()
  const runDue = () => {
    for (const one of [...due].sort((a, b) => a.at - b.at)) {
      if (one.at > emulator.now()) continue
      due.delete(one)
      one.run()
    }
  }
  const advance = async (ms: number) => {
    await emulator.advance(ms)
    runDue()
  }
  return {
    now: emulator.now,
    after(ms, run) {
      const one = { at: emulator.now() + ms, run }
      due.add(one)
      if (ms <= 0) setImmediate(() => due.delete(one) && run())
      return () => void due.delete(one)
    },
    waiting: { now: emulator.now, sleep: advance },
    advance,
  }
}
