import { must } from '../../../schema/helpers/assertions.ts'
import { startEmulator } from '../../../sync-server/tools/whatsapp-emulator/emulator.ts'
import { settingsForEmulator } from '../../../sync-server/tools/whatsapp-emulator/settings-for-emulator.ts'
import type { ChannelClock } from '../../../sync-server/whatsapp/client/channel-clock.ts'
import { readMetric } from '../server/read-metric.ts'
import type { LabDevice } from './lab-device-types.ts'
import type { LabPerson } from './lab-person.ts'

/**
 * A business number, worked by one person, and customers who write to it, on a stand-in for Meta.
 */
export interface LabChannel {
  /** The server settings that connect the two. */
  readonly settings: Record<string, string>
  /** The channel's time, which advances when everything waits. */
  readonly clock: ChannelClock
  /** Sets the server's address, and gives a person the number. */
  open(options: { serverUrl: string; operator: LabPerson }): Promise<void>
  /** A customer writes, whether or not the server is up. */
  write(pick: number, content: string): void
  /** Repeats a webhook, whatever its outcome. */
  repeat(pick: number): void
  /**
   * Pending work between customers and the server, in words. With nothing else under way, advances
   * the time: failed webhooks repeat, and interrupted ones time out.
   */
  findUnsettled(serverUrl: string): Promise<string[]>
  /** Violations of the channel's rules, in words. */
  findBroken(people: readonly LabPerson[]): Promise<string[]>
  close(): Promise<void>
}

/**
 * The emulator's people: reversed statuses, duplicate webhooks, batches, early ones, repeats, and a
 * plain one.
 */
const customers = ['04', '05', '06', '07', '09', '90'].map((nn) => `155555501${nn}`)
const jitterMs = 60
/** How far time advances per wait. */
const passedMs = 10_000

export async function createLabChannel(seed: number): Promise<LabChannel> {
  const emulator = await startEmulator({ port: 0, seed })
  const { account } = emulator
  const clock = createChannelClock(emulator.now)
  const written = new Map<string, string>()

  async function findStored({ name, server }: LabPerson, isOperator: boolean) {
    const messages = [...(await server.messages()).values()]
    const ofChannel = messages.filter((message) => message.isWhatsApp)
    if (!isOperator) {
      return ofChannel.map(({ _id }) => `P8: ${name} has ${_id} of somebody else's number`)
    }
    return [...written].flatMap(([wamid, content]) => {
      const found = ofChannel.filter((message) => message.whatsapp_message_id === wamid)
      if (found.length !== 1) return [`P2: ${name} has '${content}' ${found.length} times`]
      return found[0]?.content === content ? [] : [`P1: '${content}' is '${found[0]?.content}'`]
    })
  }

  function findSentTwice(): string[] {
    const sent = emulator.outbox().map(({ callbackData }) => callbackData)
    return sent
      .filter((name, index) => sent.indexOf(name) !== index)
      .map((name) => `P2: ${name} left twice`)
  }

  return {
    clock,
    settings: settingsForEmulator(emulator),
    async open({ serverUrl, operator }) {
      const latencies = { sentMs: 5, deliveredMs: 20, readMs: 60, replyMs: 5 }
      const webhookUrl = `${serverUrl}/api/webhooks/whatsapp`
      const isOn = await emulator.configure({ webhookUrl, latencies, jitterMs })
      if (!isOn) throw new Error('The handshake has failed.')
      const answer = await fetch(`${serverUrl}/api/users/link-whatsapp`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          authorization: `Bearer ${operator.token}`,
        },
        body: JSON.stringify({
          wa_id: account.numberDigits,
          phone_number: account.numberDigits,
          phone_number_id: account.numberId,
        }),
      })
      if (!answer.ok) throw new Error(`link-whatsapp: ${answer.status} ${await answer.text()}`)
    },
    write(pick, content) {
      const from = must(customers[pick % customers.length], 'a customer')
      written.set(emulator.inbound({ from, content }), content)
    },
    repeat(pick) {
      const deliveries = emulator.deliveries()
      if (deliveries.length > 0) emulator.redeliver(1 + (pick % deliveries.length))
    },
    async findUnsettled(serverUrl) {
      const pending = await readMetric(serverUrl, 'petrel_webhooks_pending')
      if (pending === 0) {
        await emulator.advance(passedMs)
        clock.runDue()
      }
      const waiting = emulator.deliveries().filter(({ state }) => state === 'waiting')
      const queued = await readMetric(serverUrl, 'petrel_whatsapp_outbox')
      return [
        ...waiting.map(({ id }) => `webhook ${id} is not taken yet`),
        ...(pending > 0 ? [`${pending} webhooks are not processed`] : []),
        ...(queued > 0 ? [`${queued} messages wait to leave over the channel`] : []),
      ]
    },
    async findBroken(people) {
      const broken = findSentTwice()
      for (const [index, person] of people.entries()) {
        broken.push(...(await findStored(person, index === 0)))
      }
      return broken
    },
    close: () => emulator.close(),
  }
}

/** Waits like everyone else, but ends early when time advances. */
function createChannelClock(now: () => number) {
  const due = new Set<{ at: number; run: () => void }>()
  const after: ChannelClock['after'] = (ms, run) => {
    const one = {
      at: now() + ms,
      run() {
        clearTimeout(timer)
        if (due.delete(one)) run()
      },
    }
    const timer = setTimeout(one.run, Math.max(ms, 0))
    due.add(one)
    return () => {
      clearTimeout(timer)
      due.delete(one)
    }
  }
  return {
    now,
    after,
    waiting: { now, sleep: (ms: number) => new Promise<void>((done) => void after(ms, done)) },
    runDue() {
      for (const one of [...due].sort((a, b) => a.at - b.at)) if (one.at <= now()) one.run()
    },
  }
}

/** The customers that a device knows. */
export async function listContacts(device: LabDevice): Promise<{ userId: string }[]> {
  const { conversations } = await device.stored()
  return [...conversations.values()]
    .filter(({ phone_number_id }) => phone_number_id !== undefined)
    .map(({ _id }) => ({ userId: _id }))
}
