import { setTimeout as pause } from 'node:timers/promises'
import type { Account } from '../../server/server-accounts.ts'

const pauseMs = 40
/** The cap for longer waits, which would only prolong the run. */
const patienceMs = 20_000

/** Two bystanders' waits during an attack, in ms. */
export interface Waits {
  send: number[]
  read: number[]
}

/**
 * Two people who chat: one sends a message, the other reads the newest page, both repeatedly for
 * `forMs`.
 * @throws Error for a refusal: bystanders must not pay for an attacker's actions
 */
export async function measureBystanders(options: {
  origin: string
  author: Account
  reader: Account
  forMs: number
}): Promise<Waits> {
  const { origin, author, reader, forMs } = options
  const until = performance.now() + forMs
  const send = () =>
    ask(`${origin}/api/messages`, author, {
      method: 'POST',
      body: JSON.stringify({ recipientId: reader.userId, content: 'how are you?' }),
    })
  const read = () => ask(`${origin}/api/messages/${author.userId}`, reader, {})
  const [sent, looked] = await Promise.all([repeat(send, until), repeat(read, until)])
  return { send: sent, read: looked }
}

async function repeat(work: () => Promise<void>, until: number): Promise<number[]> {
  const waits: number[] = []
  while (performance.now() < until) {
    const begunAt = performance.now()
    await work()
    waits.push(performance.now() - begunAt)
    await pause(pauseMs)
  }
  return waits
}

async function ask(url: string, { token }: Account, init: RequestInit): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const signal = AbortSignal.timeout(patienceMs)
  const response = await fetch(url, { ...init, headers, signal })
  const text = await response.text()
  if (!response.ok) throw new Error(`${url}: ${response.status} ${text}`)
}
