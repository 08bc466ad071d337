import { createHmac } from 'node:crypto'
import { toWireJson } from '../wire/wire-json.ts'
import type { EmulatorClock } from './emulator-clock.ts'
import { type EmulatorConfig, emulatorAccount } from './emulator-config.ts'
import type { EmulatorState } from './emulator-state.ts'

/** One field's change, as an envelope carries it. */
export interface Change {
  field: string
  value: Record<string, unknown>
}

export interface Delivery {
  id: number
  body: string
  /** `off`: there was no verified address. */
  state: 'off' | 'waiting' | 'delivered' | 'given up'
  attempts: { at: number; status: number | null; error: string | null }[]
}

export type WebhookSender = ReturnType<typeof createWebhookSender>

const answerDueWithinMs = 10_000
const dayMs = 86_400_000
const givenUpAfterMs = 7 * dayMs
/** Waits before each retry; repeats the last. */
const retryWaitsMs = [0, 1_000, 5_000, 30_000, 120_000, 600_000, 3_600_000, 21_600_000] as const

/**
 * Sends webhooks as Meta does: signed, at least once, in no guaranteed order, for up to seven days.
 */
export function createWebhookSender(options: {
  config: EmulatorConfig
  clock: EmulatorClock
  state: EmulatorState
}) {
  const { config, clock, state } = options
  const deliveries: Delivery[] = []

  function sign(body: string): Record<string, string> {
    const hmac = (algorithm: string, secret: string) =>
      createHmac(algorithm, secret).update(body).digest('hex')
    const sha1 = { 'x-hub-signature': `sha1=${hmac('sha1', config.appSecret)}` }
    if (config.signature === 'missing') return {}
    if (config.signature === 'sha1') return sha1
    const secret = config.signature === 'wrong' ? `not ${config.appSecret}` : config.appSecret
    return { ...sha1, 'x-hub-signature-256': `sha256=${hmac('sha256', secret)}` }
  }

  async function post(url: string, body: string, headers: Record<string, string>) {
    const bytes = config.signature === 'altered' ? body.replace('"', ' "') : body
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'facebookexternalua',
        ...headers,
      },
      body: bytes,
      redirect: 'manual',
      signal: AbortSignal.timeout(answerDueWithinMs),
    })
    await response.arrayBuffer()
    return response.status
  }

  async function attempt(delivery: Delivery, since: number) {
    const { webhookUrl } = config
    if (!webhookUrl) return
    const at = clock.now()
    const status = await post(webhookUrl, delivery.body, sign(delivery.body)).catch(
      (error: unknown) => describeFailure(error),
    )
    delivery.attempts.push(
      typeof status === 'number'
        ? { at, status, error: null }
        : { at, status: null, error: status },
    )
    if (status === 200) {
      delivery.state = 'delivered'
      return
    }
    if (delivery.state !== 'waiting') return
    const wait = retryWaitsMs[Math.min(delivery.attempts.length, retryWaitsMs.length) - 1] ?? dayMs
    if (clock.now() + wait - since > givenUpAfterMs) delivery.state = 'given up'
    else clock.at(clock.now() + wait, () => attempt(delivery, since))
  }

  function write(body: string): Delivery {
    const isOn = config.webhookUrl !== null && state.subscriptions.isVerified
    const delivery: Delivery = {
      id: deliveries.length + 1,
      body,
      state: isOn ? 'waiting' : 'off',
      attempts: [],
    }
    deliveries.push(delivery)
    return delivery
  }

  function schedule(delivery: Delivery) {
    if (delivery.state === 'off') return
    const jitter = config.jitterMs === 0 ? 0 : Math.floor(state.random.fraction() * config.jitterMs)
    const at = clock.now() + jitter
    clock.at(at, () => attempt(delivery, at))
  }

  return {
    /** Sends one envelope with these changes, once or several times, byte for byte the same. */
    send(changes: Change[], copies = 1): Delivery[] {
      const body = toWireJson(wrap(changes, clock.now()))
      return Array.from({ length: copies }, () => {
        const delivery = write(body)
        schedule(delivery)
        return delivery
      })
    },

    /** As `send`, and resolves when it is answered. */
    async sendNow(changes: Change[]): Promise<Delivery> {
      const delivery = write(toWireJson(wrap(changes, clock.now())))
      if (delivery.state !== 'off') await attempt(delivery, clock.now())
      return delivery
    },

    /** Sends any bytes once, signed or not. @returns the status of the answer */
    async sendRaw(body: string, isSigned: boolean): Promise<number> {
      const url = config.webhookUrl
      if (!url) throw new Error('No webhook address is set')
      return await post(url, body, isSigned ? sign(body) : {})
    },

    /** Sends the same bytes again. @returns null for an unknown delivery */
    redeliver(id: number): Delivery | null {
      const first = deliveries.find((one) => one.id === id)
      if (!first) return null
      const again = write(first.body)
      schedule(again)
      return again
    },

    /** Meta's handshake: enables webhooks once the challenge comes back. */
    async verify(): Promise<boolean> {
      const { webhookUrl, verifyToken } = config
      state.subscriptions.isVerified = false
      if (!webhookUrl) return false
      const challenge = state.random.digits('challenge', 10)
      const url = new URL(webhookUrl)
      url.searchParams.set('hub.mode', 'subscribe')
      url.searchParams.set('hub.challenge', challenge)
      url.searchParams.set('hub.verify_token', verifyToken)
      const answer = await fetch(url, { signal: AbortSignal.timeout(answerDueWithinMs) }).catch(
        () => null,
      )
      const text = answer ? await answer.text() : ''
      state.subscriptions.isVerified = answer?.status === 200 && text === challenge
      return state.subscriptions.isVerified
    },

    list: (): readonly Delivery[] => deliveries,

    reset() {
      deliveries.length = 0
    },
  }
}

function wrap(changes: Change[], now: number) {
  const isAboutAccount = changes.every(({ field }) => accountFields.includes(field))
  return {
    object: 'whatsapp_business_account',
    entry: [
      {
        id: emulatorAccount.businessAccountId,
        ...(isAboutAccount && { time: Math.floor(now / 1_000) }),
        changes: changes.map(({ value, field }) => ({ value, field })),
      },
    ],
  }
}

const accountFields = [
  'message_template_status_update',
  'account_update',
  'phone_number_quality_update',
]

function describeFailure(error: unknown): string {
  const { cause, name, message } = error as Error & { cause?: { code?: string } }
  return cause?.code ?? `${name}: ${message}`
}
